import { describe, expect, it } from 'vitest';
import { completionAt, placeAt } from '../src/yaml/complete';
import { toYaml } from '../src/yaml/print';
import { rewrite, ruleIn } from '../src/yaml/rewrite';
import { tokensOf } from '../src/yaml/tokens';
import { equal, parse, Unreadable, valueOf } from '../src/yaml/tree';
import { forAll, mutatedMap, rule, text, written } from './random';

const read = (yaml: string) => valueOf(parse(yaml));
const RUNS = 500;

describe('the parser', () => {
  it('reads every rule that is printed', () => {
    forAll(RUNS, (random) => {
      const value = rule(random);
      expect(read(toYaml(value))).toEqual(value);
    });
  });

  it('reads rules in any notation', () => {
    forAll(RUNS, (random) => {
      const value = rule(random);
      const yaml = written(random, value);
      expect(read(yaml), yaml).toEqual(value);
    });
  });

  it('reads blocks, flow, comments and JSON', () => {
    expect(read('a: 1 # one\nb:\n- x\n- y: 2\n  z: "3"\nc: { d: [e, \'f\'], g: user:42 }\nh:\n')).toEqual({ a: 1, b: ['x', { y: 2, z: '3' }], c: { d: ['e', 'f'], g: 'user:42' }, h: null });
    expect(read('{"a":{"b":[1,true,null]}}')).toEqual({ a: { b: [1, true, null] } });
    expect(read('a: off\nb: 007\nc: 1_000\nd: http://x#y')).toEqual({ a: 'off', b: '007', c: '1_000', d: 'http://x#y' });
  });

  it('rejects what it does not read, with the line', () => {
    const rejects = (yaml: string, line: number) => {
      expect(() => parse(yaml), yaml).toThrow(Unreadable);
      expect(() => parse(yaml)).toThrow(new RegExp(`^Line ${line}:`));
    };
    rejects('', 1);
    rejects('a: 1\nb: &x 1', 2);
    rejects('a: *x', 1);
    rejects('a: |\n  text', 1);
    rejects('a: 1\na: 2', 2);
    rejects('a: b: c', 1);
    rejects('a: 1\n   b: 2', 2);
    rejects('a:\n    b: 1\n  c: 2', 3);
    rejects('a: [1, 2', 1);
    rejects('a: two\n  lines', 2);
    rejects('a:\n\tb: 1', 2);
    rejects('---\na: 1', 1);
    rejects('a: "open', 1);
    rejects('{ a: 1 } trailing', 1);
  });
});

describe('rewriting', () => {
  it('leaves an equal rule as it is written', () => {
    forAll(RUNS, (random) => {
      const value = rule(random);
      const yaml = written(random, value);
      expect(rewrite(yaml, structuredClone(value))).toBe(yaml);
    });
  });

  it('gives any text any value', () => {
    forAll(2 * RUNS, (random) => {
      const before = rule(random);
      const yaml = written(random, before);
      const after = mutatedMap(random, before);
      if (Object.keys(after).length === 0) return;
      const rewritten = rewrite(yaml, after);
      expect(equal(read(rewritten), after), `${yaml}\n--- to ${JSON.stringify(after)}\n${rewritten}`).toBe(true);
    });
  });

  it('keeps comments and notation of what does not change', () => {
    const yaml = `# about it
id: per-user   # unique
match: {key: 'user:*'}
limit:
  algorithm: token-bucket # the usual one
  rate: 100/1m
  # bursts are rare
  burst: 200
overrides:
  - match: { key: "user:42" }
    limit: { algorithm: token-bucket, rate: 1k/1m }
future: { field: [1,2] }
`;
    const value = ruleIn(yaml)!;
    const limit = value['limit'] as Record<string, string | number>;
    expect(rewrite(yaml, { ...value, limit: { ...limit, burst: 300 } })).toBe(yaml.replace('burst: 200', 'burst: 300'));
    const { burst: _, ...bare } = limit;
    expect(rewrite(yaml, { ...value, limit: bare as never })).toBe(yaml.replace('  burst: 200\n', ''));
    expect(rewrite(yaml, { ...value, mode: 'shadow' })).toBe(`${yaml}mode: shadow\n`);
    const overrides = value['overrides'] as never[];
    expect(rewrite(yaml, { ...value, overrides: [{ match: { key: 'a' }, limit: 'deny' }, ...overrides] })).toContain('  - { match: { key: a }, limit: deny }\n  - match: { key: "user:42" }\n');
    expect(rewrite(yaml, { ...value, match: { key: 'user:*', path: '/x' } })).toContain("match: {key: 'user:*', path: /x}");
    const { overrides: __, ...without } = value;
    expect(rewrite(yaml, without)).toBe(yaml.replace(/overrides:[^]*?(?=future)/, ''));
  });

  it('keeps JSON', () => {
    expect(rewrite('{"id":"a","limit":{"rate":"1/1s"}}', { id: 'a', limit: 'deny' })).toBe('{"id":"a","limit":"deny"}\n');
  });
});

describe('tokens', () => {
  const kinds = (yaml: string) => tokensOf(yaml).flat().filter(({ kind }) => kind !== 'space').map(({ kind, text: part }) => `${kind} ${part}`);

  it('make up the text, whatever it is', () => {
    forAll(RUNS, (random) => {
      const yaml = random.chance(0.5) ? written(random, rule(random)) : random.list(9, () => random.chance(0.3) ? random.of(['{', '}', '[', ']', ',', ': ', '\n', '"', "'", ' #']) : text(random)).join('');
      const lines = tokensOf(yaml);
      expect(lines.map((tokens) => tokens.map((token) => token.text).join('')).join('\n')).toBe(yaml);
      for (const token of lines.flat()) expect(yaml.slice(token.at, token.at + token.text.length)).toBe(token.text);
    });
  });

  it('tell names from values', () => {
    expect(kinds('limit: { "rate": 100/1m, x: user:42 } # why')).toEqual(['name limit', 'mark :', 'mark {', 'name "rate"', 'mark :', 'number 100/1m', 'mark ,', 'name x', 'mark :', 'plain user:42', 'mark }', 'comment # why']);
    expect(kinds('- a, b: "c: d"')).toEqual(['mark -', 'name a, b', 'mark :', 'quoted "c: d"']);
    expect(kinds('fallback: true')).toEqual(['name fallback', 'mark :', 'number true']);
    expect(kinds('a: [1,\n  b]')).toEqual(['name a', 'mark :', 'mark [', 'number 1', 'mark ,', 'plain b', 'mark ]']);
  });
});

describe('completion', () => {
  /** The caret is at the bar. */
  const at = (marked: string) => completionAt(marked.replace('|', ''), marked.indexOf('|'));
  const offered = (marked: string) => at(marked)?.options.map((option) => option.text) ?? [];

  it('knows where the caret is', () => {
    expect(placeAt('id: a\n')).toMatchObject({ path: [], slot: 'name' });
    expect(placeAt('mode: ')).toMatchObject({ path: ['mode'], slot: 'value' });
    expect(placeAt('limit:\n  algorithm: x\n  ')).toMatchObject({ path: ['limit'], slot: 'name' });
    expect(placeAt('limit: { algorithm: ')).toMatchObject({ path: ['limit', 'algorithm'], slot: 'value' });
    expect(placeAt('overrides:\n  - match: { key: a }\n    ')).toMatchObject({ path: ['overrides'], slot: 'name' });
    expect(placeAt('overrides:\n- match: { key: a }\n- limit:\n    ')).toMatchObject({ path: ['overrides', 'limit'], slot: 'name' });
    expect(placeAt('per: [a, ')).toMatchObject({ path: ['per'], slot: 'value' });
    expect(placeAt('match: { path: { except: [a], ')).toMatchObject({ path: ['match', 'path'], slot: 'name' });
  });

  it('offers fields that are not there yet', () => {
    expect(offered('id: a\n|')).toContain('limit');
    expect(offered('id: a\n|')).not.toContain('id');
    expect(offered('id: a\ncons|')).toEqual(['consistency']);
    expect(at('id: a\ncons|')).toMatchObject({ from: 6, to: 10, suffix: ': ' });
    expect(at('id: a\nmo|: x')).toMatchObject({ suffix: '' });
  });

  it('offers the fields of the chosen algorithm', () => {
    expect(offered('limit: { algorithm: concurrency, |')).toEqual(expect.arrayContaining(['max', 'lease', 'cost']));
    expect(offered('limit: { algorithm: concurrency, |')).not.toContain('rate');
    expect(offered('limit: { algorithm: adaptive-concurrency, |')).toEqual(expect.arrayContaining(['min', 'max', 'initial', 'lease']));
    expect(offered('limit:\n  algorithm: token-bucket\n  r|')).toEqual(['rate', 'required']);
  });

  it('offers values', () => {
    expect(offered('mode: s|')).toEqual(['shadow']);
    expect(offered('limit: { algorithm: |')).toContain('rolling-window');
    expect(offered('limit: |')).toEqual(['deny']);
    expect(offered('overrides:\n  - { match: { key: a }, limit: u|')).toEqual(['unlimited']);
    expect(offered('on-store-failure: |')).toEqual(['local', 'allow', 'deny']);
    expect(offered('rules:\n  - id: a\n    mode: o|')).toEqual(['off']);
  });

  it('offers attributes and conditions in a match', () => {
    expect(offered('match: { t|')).toEqual(['tenant']);
    expect(offered('match: { path: { e|')).toEqual(['except']);
    expect(offered('match: { path: { except: a, or: |')).toEqual(['absent']);
  });

  it('offers nothing in comments, quotes and other texts', () => {
    expect(at('# mo|')).toBeNull();
    expect(at('description: "mo|')).toBeNull();
    expect(at('match: { key: user:m|')).toBeNull();
    expect(at('mode: shadow|')).toBeNull();
  });
});
