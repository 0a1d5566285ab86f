import type { ReactNode } from 'react';
import type { Stats } from '../../api/types';
import { href } from '../../app/route';
import { compact, count, percent, plural, rate } from '../../ui/format';

/** The key figures in one line. */
export function Figures({ stats }: { stats: Stats }) {
  const { rates, totals, store, rules } = stats;
  const all = rates.allowed + rates.denied;
  const down = store.unavailable || store.breaker === 'open';
  return (
    <dl className="figures">
      <Figure name="Allowed" value={rate(rates.allowed)} unit="/s" tone="allowed" note={`${compact(totals.allowed)} since start`} />
      <Figure name="Denied" value={rate(rates.denied)} unit="/s" tone="denied" note={`${percent(rates.denied, all)} of all`} />
      <Figure name="Shadow-denied" value={rate(rates.shadowDenied)} unit="/s" tone="shadow" note={`${compact(totals.shadowDenied)} since start`} />
      <Figure name="No rule applied" value={rate(rates.unmatched)} unit="/s" note={`${percent(rates.unmatched, all)} of all`} />
      <Figure name="By policy" value={rate(rates.degraded)} unit="/s" tone="degraded" note={rates.degraded > 0 ? 'without the store' : 'none needed'} />
      <Figure
        name="Store"
        value={down ? 'down' : 'up'}
        bad={down}
        note={store.kind === 'memory' || store.breaker === null ? store.kind : `${store.kind}, breaker ${store.breaker}`}
      />
      {store.trackedKeys !== null && <Figure name="Keys" value={compact(store.trackedKeys)} note="tracked" />}
      <Figure name="Instances" value={count(stats.instances)} note={stats.instances === 1 ? 'this one' : 'alive'} />
      <Figure
        name="Rules"
        value={count(rules.count)}
        bad={rules.problem !== null}
        note={
          <a href={href(['history'])}>
            {rules.revision === null ? rules.source : `revision ${rules.revision}`}
            <span className="hidden"> of {plural(rules.count, 'rule')}</span>
          </a>
        }
      />
    </dl>
  );
}

interface FigureProps {
  name: string;
  value: string;
  unit?: string;
  tone?: 'allowed' | 'denied' | 'shadow' | 'degraded';
  bad?: boolean;
  note: ReactNode;
}

function Figure({ name, value, unit, tone, bad = false, note }: FigureProps) {
  return (
    <div className={tone ? `figure ${tone}` : 'figure'}>
      <dt>{name}</dt>
      <dd className={bad ? 'value bad' : 'value'}>
        {value}
        {unit && <small>{unit}</small>}
      </dd>
      <dd className="note">{note}</dd>
    </div>
  );
}
