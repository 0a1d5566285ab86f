import type { Explained, Explanation, HeldPermits, LimitState } from '../../api/types';
import { count, duration, plural } from '../../ui/format';

/** Whether a limit refuses every request; it has no permits then. */
export const isDeny = (limit: LimitState) => limit.algorithm === 'deny';

export function limitSentence(limit: LimitState): string {
  if (isDeny(limit)) return 'every request is refused';
  const { remaining, resetAfterMs, onStoreFailure: policy } = limit;
  const why = policy ? `the store is unavailable; on-store-failure: ${policy}` : 'the store is unavailable';
  if (remaining === null) return `unknown, ${why}`;
  const back = resetAfterMs !== null && resetAfterMs > 0 ? `, full again in ${duration(resetAfterMs)}` : '';
  return policy
    ? `${count(remaining)} left in the share of this instance (limit ${count(limit.limit)})${back}; ${why}`
    : `${count(remaining)} of ${count(limit.limit)} left${rangeWords(limit)}${back}`;
}

/** The permits that open reservations hold of a limit. */
export function heldSentence({ limit, open, held, used, free, complete }: HeldPermits, unnamed: boolean): string {
  const more = complete ? '' : '; there may be more, not all were read';
  return `${unnamed ? '' : `${limit}: `}${plural(open, 'open reservation')}, ${count(held)} held, ${count(used)} used, ${count(free)} free${more}`;
}

/** The bounds of a limit that follows the load. */
function rangeWords({ min, max }: LimitState): string {
  return min === undefined || max === undefined ? '' : ` (adapts between ${count(min)} and ${count(max)})`;
}

/** Returns why a rule applies, condition by condition, or why it does not. */
export function reasonText({ applies, reason, conditions, limits }: Explained): string {
  if (!applies || conditions.length === 0) return reason;
  const matches = conditions.map(({ attribute, pattern, value }) => `${attribute} ${value ?? 'is absent'} matches ${pattern}`).join(', ');
  // Without a counter, the reason also tells the effect: it denies, or excuses.
  return limits.some((limit) => !isDeny(limit)) ? matches : `${matches}; ${reason}`;
}

export const isSpent = (limit: LimitState) => limit.remaining !== null && limit.remaining <= 0;

/** Whether the store is unavailable, so that failure policies decide. */
export const isByPolicy = (limit: LimitState) => limit.onStoreFailure !== undefined;

/** Summarizes an explanation in one sentence. */
export function summarize({ rules }: Explanation): { limited: boolean; text: string } {
  if (rules.length === 0) return { limited: false, text: 'No rule applies: every request is allowed.' };
  // Under any and weighted, a rule may pass although one of its limits is spent.
  const refuses = (rule: Explained) => rule.remaining !== null && rule.remaining <= 0;
  const enforced = rules.filter((rule) => rule.mode === 'enforce' && refuses(rule));
  const [first] = enforced;
  if (first?.limits.some(isDeny)) return { limited: true, text: `Denied by ${first.id}: every request is refused.` };
  if (first) {
    const limit = first.limits.find(isSpent);
    const others = enforced.length > 1 ? ` (and ${enforced.length - 1} more)` : '';
    return { limited: true, text: `Limited by ${first.id}${others}: ${limitSentence(limit!)}.` };
  }
  const dropping = rules.find((rule) => rule.mode === 'enforce' && rule.shedding?.dropped);
  if (dropping) return { limited: true, text: `Dropped by ${dropping.id} to shed load, for ${duration(dropping.shedding!.retryAfterMs)}.` };
  const byPolicy = rules.filter((rule) => rule.mode === 'enforce' && rule.limits.some(isByPolicy));
  if (byPolicy.length > 0) {
    const policies = byPolicy.map((rule) => `${rule.id}: ${rule.limits.find(isByPolicy)!.onStoreFailure}`);
    return { limited: false, text: `Unknown: the store is unavailable, and failure policies decide (${policies.join(', ')}).` };
  }
  const shadow = rules.find((rule) => rule.mode === 'shadow' && refuses(rule));
  if (shadow) return { limited: false, text: `Not limited. ${shadow.id} would limit it, but is in shadow mode.` };
  const counts = rules.filter((rule) => rule.mode === 'enforce' && rule.limits.length > 0);
  const [free] = rules.filter((rule) => rule.mode === 'enforce');
  if (counts.length === 0 && free) return { limited: false, text: `Not limited: ${free.id} ${free.reason}.` };
  return { limited: false, text: `Not limited at the moment: ${rules.length === 1 ? 'the rule that applies has' : `all ${rules.length} rules that apply have`} permits left.` };
}
