import type { Anomaly, Stats } from '../../api/types';
import { clock, percent, plural, rate } from '../../ui/format';
import type { Tone } from '../../ui/Notice';

export interface Headline {
  tone: Tone;
  text: string;
  /** What to do, or what it means. */
  more: string | null;
}

const MANY_DENIED = 0.25;
const FEW_CHECKS = 1;

/** Since when the store is away; the breaker knows best. */
const since = (anomalies: Anomaly[]): string => {
  const open = anomalies.filter((a) => a.until === null);
  const found = open.find((a) => a.kind === 'breaker') ?? open.find((a) => a.kind === 'fail-open');
  return found ? ` since ${clock(found.since)}` : '';
};

const STORE: Anomaly['kind'][] = ['breaker', 'fail-open'];
const LATELY_MS = 600_000;

/** An outage that is over and still worth a word. */
function outageLately({ anomalies, now }: Stats): string | null {
  const past = anomalies.filter((a) => STORE.includes(a.kind) && now - (a.until ?? now) < LATELY_MS);
  return past.length === 0 ? null : `The store was away at ${clock(Math.min(...past.map((a) => a.since)))}; it is back.`;
}

/** One sentence that says whether all is well. What matters most comes first. */
export function headline(stats: Stats): Headline {
  const said = atFirst(stats);
  const away = stats.store.away || stats.store.breaker === 'open' || stats.rates.degraded > 0;
  return away || said.more !== null ? said : { ...said, more: outageLately(stats) };
}

function atFirst(stats: Stats): Headline {
  const { store, rules, rates, anomalies } = stats;
  // How the store is, is known first-hand; what is said about it is said a while longer.
  const open = anomalies.filter((a) => a.until === null && !STORE.includes(a.kind));
  if (store.away || store.breaker === 'open') {
    return {
      tone: 'bad',
      text: `The store is away: policies decide${since(anomalies)}`,
      more: store.problem ?? 'Each rule decides by its on-store-failure until the store is back.',
    };
  }
  if (rates.degraded > 0) {
    return {
      tone: 'bad',
      text: `${rate(rates.degraded)} checks a second are decided by policy, not by the store${since(anomalies)}`,
      more: 'The store answers too late, or not to all. The log of the service says why.',
    };
  }
  const critical = open.find((a) => a.severity === 'critical');
  if (critical) return { tone: 'bad', text: critical.text, more: `Since ${clock(critical.since)}.` };
  if (rules.problem) {
    return { tone: 'warning', text: 'The rules can not be changed at the moment', more: `${rules.problem}. Checks go on with the last good rules.` };
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
      text: `Many are denied: ${percent(rates.denied, checks)} of ${rate(checks)} checks a second`,
      more: null,
    };
  }
  if (checks === 0) return { tone: 'good', text: 'All is well, and nobody asks at the moment', more: null };
  return { tone: 'good', text: `All is well: ${rate(checks)} checks a second, ${percent(rates.denied, checks)} denied`, more: null };
}
