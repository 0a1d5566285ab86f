import type { Anomaly, Stats } from '../../api/types';
import { clock, percent, plural, rate } from '../../ui/format';
import type { Tone } from '../../ui/Notice';

export interface Headline {
  tone: Tone;
  text: string;
  /** An explanation or a recommendation. */
  more: string | null;
}

const MANY_DENIED = 0.25;
const FEW_CHECKS = 1;

/** Returns the start of the outage, preferably from the circuit breaker. */
const since = (anomalies: Anomaly[]): string => {
  const open = anomalies.filter((a) => a.until === null);
  const found = open.find((a) => a.kind === 'breaker') ?? open.find((a) => a.kind === 'fail-open');
  return found ? ` since ${clock(found.since)}` : '';
};

const STORE: Anomaly['kind'][] = ['breaker', 'fail-open'];
const RECENT_MS = 600_000;

/** Describes an outage that ended recently. */
function recentOutage({ anomalies, now }: Stats): string | null {
  const past = anomalies.filter((a) => STORE.includes(a.kind) && now - (a.until ?? now) < RECENT_MS);
  return past.length === 0 ? null : `The store was unavailable at ${clock(Math.min(...past.map((a) => a.since)))}; it is available again.`;
}

/**
 * Returns the status of the service in one sentence. The most important problem takes precedence.
 */
export function headline(stats: Stats): Headline {
  const status = currentState(stats);
  const unavailable = stats.store.unavailable || stats.store.breaker === 'open' || stats.rates.degraded > 0;
  return unavailable || status.more !== null ? status : { ...status, more: recentOutage(stats) };
}

/** Replaces the status while the service does not report: the last statistics say nothing about the present. */
export const DISCONNECTED: Headline = {
  tone: 'warning',
  text: 'The present state is unknown: the service does not report',
  more: 'The figures below are the last that were received.',
};

function currentState(stats: Stats): Headline {
  const { store, rules, rates, anomalies } = stats;
  // The state of the store is known directly; its anomalies stay open somewhat longer.
  const open = anomalies.filter((a) => a.until === null && !STORE.includes(a.kind));
  if (store.unavailable || store.breaker === 'open') {
    return {
      tone: 'bad',
      text: `The store is unavailable: failure policies decide${since(anomalies)}`,
      more: store.problem ?? 'Each rule uses its on-store-failure policy until the store is available.',
    };
  }
  if (rates.degraded > 0) {
    return {
      tone: 'bad',
      text: `${rate(rates.degraded)} checks per second are decided by failure policy, not by the store${since(anomalies)}`,
      more: 'The store responds too late or not at all. See the log of the service.',
    };
  }
  const critical = open.find((a) => a.severity === 'critical');
  if (critical) return { tone: 'bad', text: critical.text, more: `Since ${clock(critical.since)}.` };
  if (rules.problem) {
    return { tone: 'warning', text: 'The rules cannot be changed at the moment', more: `${rules.problem}. Checks use the last valid rules.` };
  }
  if (rules.count === 0) return { tone: 'warning', text: 'There are no rules: everything is allowed', more: null };
  const checks = rates.allowed + rates.denied;
  const warnings = open.filter((a) => a.severity === 'warning');
  if (warnings.length > 0) {
    const [first] = warnings;
    const others = warnings.length > 1 ? ` (and ${plural(warnings.length - 1, 'more warning')})` : '';
    return { tone: 'warning', text: `${first!.text}${others}`, more: `Since ${clock(first!.since)}.` };
  }
  if (checks >= FEW_CHECKS && rates.denied / checks > MANY_DENIED) {
    return {
      tone: 'warning',
      text: `Many denials: ${percent(rates.denied, checks)} of ${rate(checks)} checks per second`,
      more: null,
    };
  }
  if (checks === 0) return { tone: 'good', text: 'All systems normal, no traffic at the moment', more: null };
  return { tone: 'good', text: `All systems normal: ${rate(checks)} checks per second, ${percent(rates.denied, checks)} denied`, more: null };
}
