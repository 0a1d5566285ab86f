import type { RuleJson, RuleSummary } from '../../api/types';

export type Filter = 'all' | 'denying' | 'shadow' | 'disabled' | 'changed';
export type Sort = 'order' | 'denied' | 'busiest' | 'changed' | 'id';

export const FILTERS: { value: Filter; name: string }[] = [
  { value: 'all', name: 'All' },
  { value: 'denying', name: 'Denying now' },
  { value: 'shadow', name: 'Shadow' },
  { value: 'disabled', name: 'Disabled' },
  { value: 'changed', name: 'Changed lately' },
];

export const SORTS: { value: Sort; name: string }[] = [
  { value: 'order', name: 'as in the rule set' },
  { value: 'denied', name: 'most denials first' },
  { value: 'busiest', name: 'most checks first' },
  { value: 'changed', name: 'changed last first' },
  { value: 'id', name: 'by id' },
];

const LATELY_MS = 86_400_000;

/** Denials in the last minute. Those of a shadow rule are the ones that it would make. */
export const denials = (summary: RuleSummary | undefined) => (summary ? summary.lastMinute.denied + summary.lastMinute.shadowDenied : 0);

const checks = (summary: RuleSummary | undefined) => (summary ? summary.lastMinute.allowed + summary.lastMinute.denied : 0);

export const isChangedLately = (summary: RuleSummary | undefined, now: number) => now - (summary?.changedAt ?? -Infinity) < LATELY_MS;

export function passes(filter: Filter, rule: { mode?: string | undefined }, summary: RuleSummary | undefined, now: number): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'denying':
      return denials(summary) > 0;
    case 'shadow':
      return rule.mode === 'shadow';
    case 'disabled':
      return rule.mode === 'off';
    case 'changed':
      return isChangedLately(summary, now);
  }
}

/** Returns the rules that pass a filter, sorted. Equal ones stay in the order of the rule set. */
export function arranged(rules: RuleJson[], summaries: Map<string, RuleSummary>, filter: Filter, sort: Sort, now: number): RuleJson[] {
  const of = (rule: RuleJson) => summaries.get(rule.id);
  const found = rules.filter((rule) => passes(filter, rule, of(rule), now));
  switch (sort) {
    case 'order':
      return found;
    case 'denied':
      return found.sort((a, b) => denials(of(b)) - denials(of(a)));
    case 'busiest':
      return found.sort((a, b) => checks(of(b)) - checks(of(a)));
    case 'changed':
      return found.sort((a, b) => (of(b)?.changedAt ?? 0) - (of(a)?.changedAt ?? 0));
    case 'id':
      return found.sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
  }
}
