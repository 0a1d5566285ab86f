import type { LimitJson, RuleJson, ShedJson } from '../../api/types';

/** Describes a limit briefly: `token-bucket 100/1m, burst 200`. */
export function limitText(limit: LimitJson | string): string {
  if (typeof limit === 'string') return limit;
  const least = limit.algorithm === 'adaptive-concurrency' ? `${limit.min ?? 1} to ` : '';
  const main = limit.rate ?? (limit.max === undefined ? '' : `${least}${limit.max} at once`);
  const extras = ['burst', 'queue', 'max-wait', 'min-interval', 'bound', 'align', 'zone', 'lease', 'cost'] as const;
  const more = extras.filter((name) => limit[name] !== undefined).map((name) => `${name} ${String(limit[name])}`);
  return [`${limit.algorithm} ${main}`.trim(), ...more].join(', ');
}

/** Describes a policy of load shedding: `shed utilization 0.8, critical > normal > bulk`. */
export function shedText({ signal, target, priority }: ShedJson): string {
  const order = priority ? `, ${priority.order.join(' > ')}` : '';
  return `shed ${signal} ${target}${order}`;
}

export function limitsOf(rule: RuleJson): (LimitJson | string)[] {
  if (rule.exempt) return ['exempt'];
  if (rule.shed) return [shedText(rule.shed)];
  return rule.limit === undefined ? (rule.limits ?? []) : [rule.limit];
}

function pattern(value: unknown): string {
  if (Array.isArray(value)) return value.map(pattern).join(' or ');
  if (typeof value === 'object' && value !== null) {
    const { is, except, or, absent } = value as { is?: unknown; except?: unknown; or?: unknown; absent?: unknown };
    if (absent === true) return 'absent';
    const parts = [is === undefined ? 'any' : pattern(is), ...(except === undefined ? [] : [`except ${pattern(except)}`])];
    return `${parts.join(' ')}${or === undefined ? '' : ` or ${String(or)}`}`;
  }
  return String(value);
}

/** Describes the match of a rule: `path=/login ip=*`. */
export function matchText(rule: RuleJson): string {
  const conditions = Object.entries(rule.match ?? {}).map(([name, value]) => `${name}=${pattern(value)}`);
  return conditions.length === 0 ? 'all callers' : conditions.join(' ');
}
