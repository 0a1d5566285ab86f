// The rule as the form sees it. The form reads and changes the value of the draft's text; fields that it does not know
// are never touched.

import { CONDITION, fieldOf, orderOf, RULE, ALGORITHMS, type Field } from '../../../yaml/schema';
import { isMap, type Value, type ValueMap } from '../../../yaml/tree';

/** Returns a map with a member changed, added at its usual place, or removed if the value is undefined. */
export function withMember(map: ValueMap, fields: readonly Field[], name: string, value: Value | undefined): ValueMap {
  const members = Object.entries(map);
  if (value === undefined) return Object.fromEntries(members.filter(([other]) => other !== name));
  if (Object.hasOwn(map, name)) return { ...map, [name]: value };
  const order = orderOf(fields);
  const at = members.findIndex(([other]) => order(other) > order(name));
  return Object.fromEntries(members.toSpliced(at < 0 ? members.length : at, 0, [name, value]));
}

export const withField = (rule: ValueMap, name: string, value: Value | undefined) => withMember(rule, RULE, name, value);

/** What a rule or an override does with the requests that it matches. */
export type Effect = 'limit' | 'limits' | 'deny' | 'unlimited' | 'exempt' | 'other';

export function effectOf(rule: ValueMap): Effect {
  if (rule['exempt'] === true) return 'exempt';
  if (rule['shed'] !== undefined) return 'other';
  if (rule['limits'] !== undefined) return Array.isArray(rule['limits']) && rule['limits'].every(isMap) ? 'limits' : 'other';
  if (rule['limit'] === 'deny') return 'deny';
  if (rule['limit'] === 'unlimited') return 'unlimited';
  return isMap(rule['limit']) ? 'limit' : 'other';
}

export const DEFAULT_LIMIT: ValueMap = { algorithm: 'token-bucket', rate: '100/1m' };

/** The limits of a rule or an override, whether it has one or several. */
export function limitsIn(rule: ValueMap): ValueMap[] {
  if (isMap(rule['limit'])) return [rule['limit']];
  return Array.isArray(rule['limits']) ? rule['limits'].filter(isMap) : [];
}

const without = (rule: ValueMap, fields: readonly Field[], ...names: string[]) =>
  names.reduce((rest, name) => withMember(rest, fields, name, undefined), rule);

/** Changes what a rule or an override does. Its limit is kept where the new effect has one. */
export function withEffect(rule: ValueMap, fields: readonly Field[], effect: Effect, limit = DEFAULT_LIMIT): ValueMap {
  const [first = limit] = limitsIn(rule);
  const bare = without(rule, fields, 'exempt', 'combine', 'threshold', 'limit', 'limits', 'shed');
  const { name: _, ...unnamed } = first;
  switch (effect) {
    case 'limit':
      return withMember(bare, fields, 'limit', unnamed);
    case 'limits':
      return withMember(bare, fields, 'limits', [{ name: 'first', ...first }, { name: 'second', ...unnamed }]);
    case 'deny':
    case 'unlimited':
      return withMember(bare, fields, 'limit', effect);
    case 'exempt':
      return withMember(without(bare, fields, 'per', 'overrides', 'status'), fields, 'exempt', true);
    case 'other':
      return rule;
  }
}

/** A condition of a match, in its parts. */
export interface Condition {
  kind: 'is' | 'except' | 'absent' | 'other';
  /** One pattern, or several of which one has to match. For `except`, those that must not. */
  patterns: string[];
  /** For `except`: what has to match nevertheless; empty for any value. */
  within: string[];
  /** Whether requests without the attribute match as well. */
  orAbsent: boolean;
}

const isScalar = (value: Value | undefined) => value !== undefined && value !== null && typeof value !== 'object';

function patternsOf(value: Value | undefined): string[] | null {
  if (value === undefined) return [];
  if (isScalar(value)) return [String(value)];
  return Array.isArray(value) && value.every(isScalar) ? value.map(String) : null;
}

const patternsValue = (patterns: string[]): Value => (patterns.length === 1 ? patterns[0]! : patterns);

export function conditionOf(value: Value): Condition {
  const other: Condition = { kind: 'other', patterns: [], within: [], orAbsent: false };
  if (!isMap(value)) {
    const patterns = patternsOf(value);
    return patterns === null ? other : { ...other, kind: 'is', patterns };
  }
  if (Object.keys(value).length === 1 && value['absent'] === true) return { ...other, kind: 'absent' };
  const known = Object.keys(value).every((name) => fieldOf(CONDITION, name) !== undefined);
  const is = patternsOf(value['is']);
  const except = patternsOf(value['except']);
  const orAbsent = value['or'] === 'absent';
  if (!known || is === null || except === null || (value['or'] !== undefined && !orAbsent)) return other;
  if (value['except'] !== undefined) return { kind: 'except', patterns: except, within: is, orAbsent };
  return value['is'] === undefined ? other : { kind: 'is', patterns: is, within: [], orAbsent };
}

export function conditionValue({ kind, patterns, within, orAbsent }: Condition): Value {
  const or: ValueMap = orAbsent ? { or: 'absent' } : {};
  if (kind === 'absent') return { absent: true };
  if (kind === 'except') return { ...(within.length > 0 ? { is: patternsValue(within) } : {}), except: patternsValue(patterns), ...or };
  return orAbsent ? { is: patternsValue(patterns), ...or } : patternsValue(patterns);
}

/** Returns the conditions of a match under their attributes. */
export const conditionsOf = (match: Value | undefined): [string, Condition][] =>
  isMap(match) ? Object.entries(match).map(([name, value]) => [name, conditionOf(value)]) : [];

const isOpen = ({ kind, patterns, within }: Condition) =>
  kind === 'except' ? within.length !== 1 || within[0]!.includes('*') : kind === 'is' && (patterns.length !== 1 || /\*|\/\d+$/.test(patterns[0]!));

/** Returns the attributes that have counters of their own unless `per` names others. */
export const defaultPer = (match: Value | undefined): string[] =>
  conditionsOf(match)
    .filter(([, condition]) => isOpen(condition))
    .map(([name]) => name);

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];
export const ALL_DAYS: readonly Day[] = DAYS;

const dayOf = (text: string) => DAYS.findIndex((day) => day === text.trim().toLowerCase().slice(0, 3));

/** Returns the days of `mon-fri,sun`, or of a list; all if none is given, null if they can't be read. */
export function daysOf(value: Value | undefined): Day[] | null {
  if (value === undefined) return [...DAYS];
  const parts = (Array.isArray(value) ? value : [value]).flatMap((part) => String(part).split(','));
  const chosen = new Set<number>();
  for (const part of parts) {
    const [from = '', to = from] = part.split('-');
    const first = dayOf(from);
    const last = dayOf(to);
    if (first < 0 || last < 0) return null;
    for (let day = first; ; day = (day + 1) % 7) {
      chosen.add(day);
      if (day === last) break;
    }
  }
  return DAYS.filter((_, i) => chosen.has(i));
}

/** Writes days with ranges for three or more in a row; undefined for all of them. */
export function daysValue(days: readonly Day[]): Value | undefined {
  if (days.length === DAYS.length) return undefined;
  const parts: string[] = [];
  for (let first = 0; first < DAYS.length; first++) {
    if (!days.includes(DAYS[first]!)) continue;
    let last = first;
    while (last + 1 < DAYS.length && days.includes(DAYS[last + 1]!)) last++;
    const [from, to] = [DAYS[first]!, DAYS[last]!];
    parts.push(...(last - first < 2 ? new Set([from, to]) : [`${from}-${to}`]));
    first = last;
  }
  return parts.join(',');
}

/** Returns both ends of `22:00-06:00`; null unless it has this form. */
export function hoursOf(value: Value | undefined): [string, string] | null {
  if (value === undefined) return ['', ''];
  const [, from, to] = /^(\d{1,2}:\d{2}|)-(\d{1,2}:\d{2}|)$/.exec(String(value)) ?? [];
  return from === undefined || to === undefined ? null : [from.padStart(5, '0').replace(/^0{5}$/, ''), to.padStart(5, '0').replace(/^0{5}$/, '')];
}

export const hoursValue = (from: string, to: string): Value | undefined => (from || to ? `${from}-${to}` : undefined);

/** Returns a date or time as an input of the browser wants it. */
export function momentOf(value: Value | undefined): string {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?$/.exec(String(value ?? '')) ?? [];
  return date === undefined ? '' : `${date}T${time ?? '00:00'}`;
}

export const momentValue = (text: string): Value | undefined => (text ? text.replace(/T00:00(?::00)?$/, '') : undefined);

const FORM_FIELDS = new Set(RULE.map(({ name }) => name).filter((name) => name !== 'threshold'));
const SCHEDULE_FIELDS = new Set(fieldOf(RULE, 'active')!.fields!.map(({ name }) => name));
const RESERVATION_FIELDS = new Set(fieldOf(RULE, 'reservation')!.fields!.map(({ name }) => name));
const OVERRIDE_FIELDS = new Set(['match', 'limit', 'limits']);

/** Returns the fields of a limit that the form edits. */
export function limitFields(limit: ValueMap, inherited?: Value, combine?: Value): string[] {
  const algorithm = limit['algorithm'] ?? (isMap(inherited) ? inherited['algorithm'] : undefined);
  const own = ALGORITHMS.find(({ name }) => name === algorithm)?.fields ?? [];
  const shown = own.filter((name) => name !== 'fair' || fairOf(limit['fair']) !== null);
  return ['name', 'algorithm', 'cost', ...shown, ...(COMBINE_FIELDS[String(combine)] ?? [])];
}

/** The fields of a limit that a way of combining limits reads. */
const COMBINE_FIELDS: Record<string, string[]> = { weighted: ['weight'], priority: ['priority'], hierarchical: ['scope'] };

/** How tenants share a limit, in its parts. */
export interface Fair {
  /** The attributes that name a tenant; none if the limit is not shared. */
  among: string[];
  weightBy: string;
  /** Each as `value=weight`. */
  weights: string[];
}

/** Returns the parts of `fair`, or null if the form can't show it. */
export function fairOf(value: Value | undefined): Fair | null {
  if (value === undefined) return { among: [], weightBy: '', weights: [] };
  if (!isMap(value) || !Object.keys(value).every((name) => ['among', 'weight-by', 'weights'].includes(name))) return null;
  const among = patternsOf(value['among']);
  const weights = value['weights'] ?? {};
  const weightBy = value['weight-by'] ?? '';
  if (among === null || !isMap(weights) || typeof weightBy !== 'string') return null;
  const entries = Object.entries(weights);
  if (!entries.every(([name, weight]) => typeof weight === 'number' && !/[=,]/.test(name))) return null;
  return { among, weightBy, weights: entries.map(([name, weight]) => `${name}=${String(weight)}`) };
}

/** Returns the value of `fair`. A weight that is no number is kept as text, so that the service reports it. */
export function fairValue({ among, weightBy, weights }: Fair): Value | undefined {
  if (among.length === 0) return undefined;
  const entries = weights.map((text): [string, Value] => {
    const [name = '', weight = ''] = text.split('=').map((part) => part.trim());
    return [name, /^\d{1,9}$/.test(weight) ? Number(weight) : weight];
  });
  return {
    among: patternsValue(among),
    ...(weightBy === '' ? {} : { 'weight-by': weightBy }),
    ...(entries.length === 0 ? {} : { weights: Object.fromEntries(entries) }),
  };
}

const others = (map: ValueMap, known: { has: (name: string) => boolean }, prefix: string) =>
  Object.keys(map)
    .filter((name) => !known.has(name))
    .map((name) => `${prefix}${name}`);

function othersInLimits(owner: ValueMap, prefix: string, inherited?: Value): string[] {
  const one = isMap(owner['limit']) ? others(owner['limit'], new Set(limitFields(owner['limit'], inherited)), `${prefix}limit.`) : [];
  const several = Array.isArray(owner['limits']) ? owner['limits'] : [];
  return [...one, ...several.flatMap((limit, i) => (isMap(limit) ? others(limit, new Set(limitFields(limit, undefined, owner['combine'])), `${prefix}limits[${i}].`) : [`${prefix}limits[${i}]`]))];
}

const othersInMatch = (match: Value | undefined, prefix: string) =>
  match !== undefined && !isMap(match) ? [prefix] : conditionsOf(match).filter(([, { kind }]) => kind === 'other').map(([name]) => `${prefix}.${name}`);

/** Returns the paths of everything in a rule that the form does not show, and therefore keeps as it is. */
export function unknownIn(rule: ValueMap): string[] {
  const active = rule['active'];
  const overrides = rule['overrides'];
  const reservation = rule['reservation'];
  return [
    ...others(rule, FORM_FIELDS, ''),
    ...othersInMatch(rule['match'], 'match'),
    ...othersInLimits(rule, ''),
    ...(active === undefined ? [] : isMap(active) ? others(active, SCHEDULE_FIELDS, 'active.') : ['active']),
    ...(reservation === undefined ? [] : isMap(reservation) ? others(reservation, RESERVATION_FIELDS, 'reservation.') : ['reservation']),
    ...(overrides === undefined ? [] : Array.isArray(overrides) ? overrides.flatMap((override, i) => othersInOverride(override, rule, `overrides[${i}]`)) : ['overrides']),
  ];
}

function othersInOverride(override: Value, rule: ValueMap, prefix: string): string[] {
  if (!isMap(override)) return [prefix];
  return [
    ...others(override, OVERRIDE_FIELDS, `${prefix}.`),
    ...othersInMatch(override['match'], `${prefix}.match`),
    ...othersInLimits(override, `${prefix}.`, rule['limit']),
  ];
}

/** Returns a rule with an override before the others, since the first that matches applies. */
export function withOverride(rule: ValueMap, match: ValueMap, limit: Value): ValueMap {
  const overrides = Array.isArray(rule['overrides']) ? rule['overrides'] : [];
  return withField(rule, 'overrides', [{ match, limit }, ...overrides]);
}
