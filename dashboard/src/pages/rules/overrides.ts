// Overrides for one caller.

import type { Subject } from '../../api/types';
import { equal, isMap, type Value, type ValueMap } from '../../yaml/tree';
import { DEFAULT_LIMIT, limitsIn, withField, withOverride } from './form/model';
import { changed } from './template';

/** Escapes a value, so that a pattern matches it alone. */
export const exactly = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('*', '\\*');

export const matchOf = (caller: Subject): ValueMap => Object.fromEntries(Object.entries(caller).map(([name, value]) => [name, exactly(value)]));

const overridesOf = (rule: ValueMap): Value[] => (Array.isArray(rule['overrides']) ? rule['overrides'] : []);

/** Returns the position of the override that matches exactly this caller, or -1. */
export function overrideOf(rule: ValueMap, caller: Subject): number {
  const match = matchOf(caller);
  return overridesOf(rule).findIndex((override) => isMap(override) && isMap(override['match']) && equal(override['match'], match));
}

/** Returns a rule whose override for this caller has the given limit. A new one precedes the others. */
export function withLimitFor(rule: ValueMap, caller: Subject, limit: Value): ValueMap {
  const at = overrideOf(rule, caller);
  if (at < 0) return withOverride(rule, matchOf(caller), limit);
  const override = overridesOf(rule)[at] as ValueMap;
  return withField(rule, 'overrides', overridesOf(rule).with(at, { ...override, limit }));
}

/** Returns the text of a rule with an override for this caller, with the limit of the rule to begin with. */
export const withOverrideFor = (text: string, caller: Subject): string =>
  changed(text, (rule) => (overrideOf(rule, caller) >= 0 ? rule : withOverride(rule, matchOf(caller), limitsIn(rule)[0] ?? DEFAULT_LIMIT)));
