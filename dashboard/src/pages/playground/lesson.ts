import type { Trial, TrialResult } from '../../api/types';
import { count, duration } from '../../ui/format';
import { ALGORITHMS } from './setup';

const named = (id: string) => (ALGORITHMS[id]?.name ?? id).toLowerCase().replace(/,.*/, '');

const isWithin = ({ maxInWindow, totals }: TrialResult) => maxInWindow !== null && maxInWindow.admitted <= maxInWindow.limit && totals.denied > 0;

/** Summarizes the results in one sentence. */
export function lesson({ results, requests }: Trial): string {
  if (results.some((r) => r.tenants?.length)) {
    const denied = ({ tenants = [] }: TrialResult) => tenants.slice(1).reduce((sum, t) => sum + t.requests - t.admitted, 0);
    const quiet = results[0]!.tenants!.slice(1).reduce((sum, t) => sum + t.requests, 0);
    const each = results.map((r) => `${ALGORITHMS[r.name]?.name.toLowerCase() ?? r.name} denies ${count(denied(r))}`);
    return `Of the ${count(quiet)} requests of the quiet tenants: ${each.join('; ')}.`;
  }
  const over = results
    .filter((r) => r.maxInWindow && r.maxInWindow.admitted > r.maxInWindow.limit)
    .sort((a, b) => b.maxInWindow!.admitted - a.maxInWindow!.admitted);
  const [worst] = over;
  // Prefers the algorithm that guarantees the limit.
  const exact = results.find((r) => r.name === 'rolling-window' && isWithin(r)) ?? results.find(isWithin);
  if (worst?.maxInWindow) {
    const { admitted, limit, windowMs } = worst.maxInWindow;
    const than = exact?.maxInWindow ? `, ${named(exact.name)} no more than ${count(exact.maxInWindow.admitted)}` : '';
    return `The limit is ${count(limit)} in ${duration(windowMs)}: ${named(worst.name)} lets ${count(admitted)} pass in one such span${than}.`;
  }
  const strictest = [...results].sort((a, b) => b.totals.denied - a.totals.denied)[0];
  if (!strictest || strictest.totals.denied === 0) return `All ${count(requests)} requests pass under every algorithm. Increase the traffic, or lower the limit.`;
  const mildest = [...results].sort((a, b) => a.totals.denied - b.totals.denied)[0]!;
  if (mildest === strictest || mildest.totals.denied === strictest.totals.denied) {
    return `Every algorithm denies ${count(strictest.totals.denied)} of ${count(requests)}: on this traffic they agree.`;
  }
  return `Of ${count(requests)} requests ${named(strictest.name)} denies ${count(strictest.totals.denied)}, ${named(mildest.name)} ${count(mildest.totals.denied)}.`;
}
