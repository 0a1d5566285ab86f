import type { FailurePolicy, Stats } from '../api/types';
import { useLive } from '../live/live';
import { Notice } from '../ui/Notice';
import { count, plural, zoned } from '../ui/format';

/** The effect on one rule, and on several. */
const EFFECTS: Record<FailurePolicy, [string, string]> = {
  allow: ['fails open: every request passes, uncounted', 'fail open: every request passes, uncounted'],
  'allow-then-deny': ['fails open for a time, then denies every request', 'fail open for a time, then deny every request'],
  deny: ['denies every request', 'deny every request'],
  local: ['enforces a local share of its limit', 'enforce a local share of their limits'],
};

// The most dangerous effect first.
const ORDER: FailurePolicy[] = ['allow', 'allow-then-deny', 'deny', 'local'];

/** Describes the effect of an outage: since when, and which rules decide by which policy. */
export function outageText({ store, now }: Stats): { title: string; effects: string[] } {
  const name = store.kind === 'redis' ? 'Redis' : store.kind === 'cluster' ? 'The cluster' : 'The store';
  const since = store.since === null ? '' : ` since ${zoned(store.since, now)}`;
  const effects = ORDER.flatMap((policy) => {
    const group = store.failurePolicies.find((entry) => entry.policy === policy);
    if (!group) return [];
    const more = group.count - group.rules.length;
    const names = group.rules.join(', ') + (more > 0 ? ` and ${count(more)} more` : '');
    const [one, several] = EFFECTS[policy];
    return [`${plural(group.count, 'rule')} (${names}) ${group.count === 1 ? one : several}.`];
  });
  const decided = `${plural(store.decidedByPolicy, 'request was', 'requests were')} decided so`;
  const open = store.allowedUncounted > 0 ? `, ${count(store.allowedUncounted)} of them passed uncounted` : '';
  return { title: `${name} is unavailable${since}`, effects: [...effects, `${decided}${open}.`] };
}

/** Warns on every page while the store is unavailable, since figures are unknown then. */
export function StoreBanner() {
  const { stats } = useLive();
  if (!stats?.store.unavailable) return null;
  const { title, effects } = outageText(stats);
  return (
    <Notice tone="bad" title={title}>
      <ul>
        {effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      <p>Remaining permits are unknown until the store is available again.</p>
    </Notice>
  );
}

/** Reports that the rule file of the instance is not used, and how to use it. */
export function IgnoredFileNotice() {
  const { stats } = useLive();
  const why = stats?.rules.ignoredFile;
  return why ? <Notice tone="info" title={`${why}.`} /> : null;
}
