import type { LimitJson, RuleJson } from '../../api/types';

/** Describes a limit briefly: `token-bucket 100/1m, burst 200`. */
export function limitText(limit: LimitJson): string {
  const main = limit.rate ?? (limit.max === undefined ? '' : `${limit.max} at once`);
  const extras = ['burst', 'queue', 'max-wait', 'min-interval', 'bound', 'align', 'lease', 'cost'] as const;
  const more = extras.filter((name) => limit[name] !== undefined).map((name) => `${name} ${String(limit[name])}`);
  return [`${limit.algorithm} ${main}`.trim(), ...more].join(', ');
}

export const limitsOf = (rule: RuleJson): LimitJson[] => (rule.limit ? [rule.limit] : (rule.limits ?? []));

function pattern(value: unknown): string {
  if (Array.isArray(value)) return value.map(pattern).join(' or ');
  if (typeof value === 'object' && value !== null) {
    const { is, except } = value as { is?: unknown; except?: unknown };
    return `${is === undefined ? 'any' : pattern(is)} except ${pattern(except)}`;
  }
  return String(value);
}

/** Describes the match of a rule: `path=/login ip=*`. */
export function matchText(rule: RuleJson): string {
  const conditions = Object.entries(rule.match ?? {}).map(([name, value]) => `${name}=${pattern(value)}`);
  return conditions.length === 0 ? 'all callers' : conditions.join(' ');
}
