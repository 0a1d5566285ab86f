import type { Explained, Explanation, LimitState } from '../../api/types';
import { count, duration } from '../../ui/format';

export function limitSentence(limit: LimitState): string {
  const { remaining, resetAfterMs } = limit;
  const back = resetAfterMs > 0 ? `, full again in ${duration(resetAfterMs)}` : '';
  return `${count(remaining)} of ${count(limit.limit)} left${back}`;
}

/** Returns why a rule applies, condition by condition, or why it does not. */
export function reasonText({ applies, reason, conditions }: Explained): string {
  if (!applies || conditions.length === 0) return reason;
  return conditions.map(({ attribute, pattern, value }) => `${attribute} ${value ?? 'is absent'} matches ${pattern}`).join(', ');
}

export const isSpent = (limit: LimitState) => limit.remaining <= 0;

/** Summarizes an explanation in one sentence. */
export function summarize({ rules }: Explanation): { limited: boolean; text: string } {
  if (rules.length === 0) return { limited: false, text: 'No rule applies: every request is allowed.' };
  const spent = (rule: Explained) => rule.limits.filter(isSpent);
  const enforced = rules.filter((rule) => rule.mode === 'enforce' && spent(rule).length > 0);
  const [first] = enforced;
  if (first) {
    const [limit] = spent(first);
    const others = enforced.length > 1 ? ` (and ${enforced.length - 1} more)` : '';
    return { limited: true, text: `Limited by ${first.id}${others}: ${limitSentence(limit!)}.` };
  }
  const shadow = rules.find((rule) => rule.mode === 'shadow' && spent(rule).length > 0);
  if (shadow) return { limited: false, text: `Not limited. ${shadow.id} would limit it, but is in shadow mode.` };
  return { limited: false, text: `Not limited at the moment: ${rules.length === 1 ? 'the rule that applies has' : `all ${rules.length} rules that apply have`} permits left.` };
}
