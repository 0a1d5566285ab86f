// Random rules and random ways to write them, from a seed.

import type { Value, ValueMap } from '../src/yaml/tree';

export class Random {
  constructor(private seed: number) {}

  /** A number from 0 to 1 (mulberry32). */
  next(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  list<T>(atMost: number, item: () => T, atLeast = 0): T[] {
    return Array.from({ length: atLeast + this.below(atMost - atLeast + 1) }, item);
  }
}

/** Runs a property for many seeds; the seed of a failure is in its message. */
export function forAll(runs: number, property: (random: Random) => void) {
  for (let seed = 1; seed <= runs; seed++) {
    try {
      property(new Random(seed));
    } catch (cause) {
      throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }
}

const TEXTS = ['a', 'user:42', 'user:*', '/login', '*', 'null', 'true', 'off', '42', '0.5', '1e5', '007', '~', '', ' x ', 'no: really', 'a # b', '#c', "it's", 'say "hi"', 'back\\slash', 'tab\there', '- dash', '-5', '? what', ':colon', 'a:', '[x]', '{y}', 'a, b', '&anchor', '!tag', '|', '>', '%', '@at', '`', 'ünïcode →', '22:00-06:00', '2026-01-01', '100/1m', '30s', '---', '...', 'line\nbreak'];
const NAMES = ['key', 'user', 'tenant', 'ip', 'path', 'x y', 'odd: name', '1', 'true'];

export const text = (random: Random) => (random.chance(0.7) ? random.of(TEXTS.slice(0, 6)) : random.of(TEXTS));
const scalar = (random: Random): Value => random.of([() => text(random), () => random.below(5000), () => random.chance(0.5), () => random.below(100) / 10])();

const patterns = (random: Random): Value => (random.chance(0.6) ? text(random) : random.list(3, () => text(random), 1));

function condition(random: Random): Value {
  return random.of<() => Value>([
    () => patterns(random),
    () => ({ except: patterns(random) }),
    () => ({ is: patterns(random), except: patterns(random), or: 'absent' }),
    () => ({ is: patterns(random), or: 'absent' }),
    () => ({ absent: true }),
    () => ({ like: text(random) }),
  ])();
}

const match = (random: Random): ValueMap => Object.fromEntries(random.list(3, () => [random.of(NAMES), condition(random)] as const));

function limit(random: Random): ValueMap {
  const rate = `${random.of(['1', '100', '10k', '1_000'])}/${random.of(['1s', '1m', '5m', 's', '1mo'])}`;
  const base = random.of<() => ValueMap>([
    () => ({ algorithm: 'token-bucket', rate, ...(random.chance(0.5) ? { burst: random.below(900) + 1 } : {}) }),
    () => ({ algorithm: 'leaky-bucket', rate, queue: random.below(9) }),
    () => ({ algorithm: 'fixed-window', rate, align: 'calendar', zone: 'Europe/Berlin' }),
    () => ({ algorithm: 'sliding-window', rate, bound: 'conservative' }),
    () => ({ algorithm: 'rolling-window', rate, 'min-interval': '1s' }),
    () => ({ algorithm: 'concurrency', max: random.below(9) + 1, lease: '2m' }),
    () => ({ algorithm: 'adaptive-concurrency', min: 2, max: random.below(90) + 10, initial: 5 }),
  ])();
  return random.chance(0.2) ? { ...base, fair: { among: 'tenant', weights: { pro: 2 } } } : base;
}

const orLimit = (random: Random, words: string[]): Value => (random.chance(0.2) ? random.of(words) : limit(random));

/** A rule that need not be valid, but has the shape of one, with fields that the form does not know. */
export function rule(random: Random): ValueMap {
  const some = (share: number, name: string, value: () => Value): ValueMap => (random.chance(share) ? { [name]: value() } : {});
  return {
    id: random.of(['per-user', 'team/jobs', 'a']),
    ...some(0.5, 'description', () => text(random)),
    ...some(0.8, 'match', () => match(random)),
    ...some(0.3, 'per', () => (random.chance(0.5) ? random.list(3, () => random.of(NAMES)) : random.of(NAMES))),
    ...(random.chance(0.7) ? { limit: orLimit(random, ['deny']) } : { limits: random.list(3, () => ({ name: text(random), ...limit(random) }), 1) }),
    ...some(0.4, 'overrides', () => random.list(3, () => ({ match: match(random), limit: orLimit(random, ['deny', 'unlimited']) }))),
    ...some(0.2, 'fallback', () => true),
    ...some(0.4, 'mode', () => random.of(['shadow', 'off', 'enforce'])),
    ...some(0.3, 'active', () => ({ days: random.of(['mon-fri', 'sat,sun']), hours: '22:00-06:00', until: '2027-01-01T00:00' })),
    ...some(0.3, 'on-store-failure', () => (random.chance(0.5) ? 'deny' : { 'allow-then-deny': '30s' })),
    ...some(0.3, 'unknown-field', () => random.of<Value>([scalar(random), [1, [2, 3]], { deep: { er: [scalar(random), null] } }])),
  };
}

const isMap = (value: Value): value is ValueMap => typeof value === 'object' && value !== null && !Array.isArray(value);

function quoted(random: Random, value: string): string {
  if (/^[A-Za-z/][\w/-]*$/.test(value) && !/^(?:true|false|null)$/i.test(value) && random.chance(0.8)) return value;
  return random.chance(0.3) && !/[\n\t\\]/.test(value) ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value);
}

const plain = (random: Random, value: Value) => (typeof value === 'string' ? quoted(random, value) : JSON.stringify(value));

function flow(random: Random, value: Value): string {
  const space = () => (random.chance(0.1) ? '\n      ' : random.of([' ', '', '  ']));
  const end = random.chance(0.05) ? ',' : '';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${space()}${value.map((item) => flow(random, item)).join(`${space()},${space()}`)}${end}${space()}]`;
  if (!isMap(value)) return plain(random, value);
  const members = Object.entries(value).map(([name, member]) => `${quoted(random, name)}: ${flow(random, member)}`);
  return members.length === 0 ? '{}' : `{${space()}${members.join(`${space()}, `)}${end}${space()}}`;
}

const comment = (random: Random, indent: string) => (random.chance(0.15) ? `${indent}# a comment ${random.below(100)}\n` : '') + (random.chance(0.05) ? '\n' : '');
const trailing = (random: Random) => (random.chance(0.15) ? ` # why ${random.below(100)}` : random.chance(0.05) ? '  ' : '');

function block(random: Random, value: Value, indent: string): string {
  const deeper = `${indent}${random.of(['  ', '    '])}`;
  if (Array.isArray(value)) {
    return value.map((item) => `${comment(random, indent)}${indent}- ${isMap(item) && Object.keys(item).length > 0 && random.chance(0.5) ? block(random, item, `${indent}  `).trimStart().replace(/^(?:#.*\n\s*)+/, '') : `${flow(random, item)}${trailing(random)}\n`}`).join('');
  }
  if (!isMap(value)) return `${indent}${plain(random, value)}\n`;
  return Object.entries(value)
    .map(([name, member]) => {
      const container = typeof member === 'object' && member !== null && Object.keys(member).length > 0;
      const sameIndent = Array.isArray(member) && random.chance(0.3) ? indent : deeper;
      const written = container && random.chance(0.5) ? `${trailing(random)}\n${block(random, member, sameIndent)}` : ` ${flow(random, member)}${trailing(random)}\n`;
      return `${comment(random, indent)}${indent}${quoted(random, name)}:${written}`;
    })
    .join('');
}

/** Writes a rule in a random notation: blocks, flow, JSON, with comments and blank lines. */
export function written(random: Random, value: ValueMap): string {
  if (random.chance(0.1)) return JSON.stringify(value, null, random.of([0, 2]));
  const lines = block(random, value, '') + comment(random, '');
  return random.chance(0.1) ? lines.trimEnd() : lines;
}

/** Changes, adds and removes some members and items, at any depth. */
export function mutated(random: Random, value: Value): Value {
  if (random.chance(0.1)) return random.of<() => Value>([() => scalar(random), () => limit(random), () => [], () => ({}), () => random.list(3, () => scalar(random))])();
  if (Array.isArray(value)) {
    const items = value.filter(() => random.chance(0.8)).map((item) => (random.chance(0.3) ? mutated(random, item) : item));
    return random.chance(0.3) ? items.toSpliced(random.below(items.length + 1), 0, random.chance(0.5) ? limit(random) : scalar(random)) : items;
  }
  return isMap(value) ? mutatedMap(random, value) : scalar(random);
}

export function mutatedMap(random: Random, value: ValueMap): ValueMap {
  const members = Object.entries(value)
    .filter(() => random.chance(0.85))
    .map(([name, member]) => [name, random.chance(0.3) ? mutated(random, member) : member] as const);
  const added = random.list(2, () => [random.of(['burst', 'mode', 'zzz', ...NAMES]), random.chance(0.5) ? limit(random) : scalar(random)] as const);
  const at = random.below(members.length + 1);
  return Object.fromEntries([...members.slice(0, at), ...added, ...members.slice(at)]);
}
