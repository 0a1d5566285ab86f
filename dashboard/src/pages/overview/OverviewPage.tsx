import { useMemo } from 'react';
import type { Stats } from '../../api/types';
import { href } from '../../app/route';
import { DecisionsChart } from '../../live/DecisionsChart';
import { since, type History } from '../../live/history';
import { useLive } from '../../live/live';
import { Announce } from '../../ui/Announce';
import { Chart } from '../../ui/Chart';
import { Empty, Loading, Mark, Notice, ProblemNotice } from '../../ui/Notice';
import { duration, micros, moment, percent, rate } from '../../ui/format';
import { LoadEvents } from '../rules/Levels';
import { Anomalies } from './Anomalies';
import { Busiest, HotKeys } from './Busiest';
import { Figures } from './Figures';
import { DISCONNECTED, headline } from './headline';

function MixedLayouts({ layouts }: { layouts: Stats['store']['layouts'] }) {
  if (!layouts || layouts.separate === 0 || layouts.compact === 0) return null;
  return (
    <Notice
      tone="warning"
      title={`Instances have different layouts of keys: ${layouts.separate} separate, ${layouts.compact} compact`}
    >
      They count rules with several limits separately, and admit up to twice the limit together. Restart all with the same{' '}
      <code>--store-layout</code>.
    </Notice>
  );
}

export function OverviewPage() {
  const { stats, line, problem } = useLive();
  if (!stats) {
    return (
      <>
        <h1 className="hidden">Overview</h1>
        {problem ? <ProblemNotice problem={problem} /> : <Loading what="the statistics" />}
      </>
    );
  }
  const old = line === 'reconnecting';
  const status = old ? DISCONNECTED : headline(stats);
  const alone = stats.instances <= 1;
  return (
    <div className="stack overview">
      <h1 className="hidden">Overview</h1>
      {old && (
        <Notice tone="warning" title={`Reconnecting; the statistics are from ${moment(stats.now)}`}>
          {problem?.detail ?? 'The stream of statistics has ended.'}
        </Notice>
      )}
      <MixedLayouts layouts={stats.store.layouts} />
      <div className={`headline ${old ? 'stale' : status.tone}`}>
        <Mark tone={status.tone} />
        <div>
          <p className="said">{status.text}</p>
          {status.more && <p className="quiet">{status.more}</p>}
          {!alone && (
            <p className="quiet">
              Decisions, latency and rates cover this instance, one of {stats.instances}; <a href={href(['callers'])}>callers</a> are
              added up over all.
            </p>
          )}
        </div>
        <Announce when={status.tone} text={status.text} />
      </div>
      <Figures stats={stats} />
      <div className="sides main-left">
        <Decisions stats={stats} />
        <section className="section" aria-labelledby="anomalies">
          <h2 id="anomalies">Anomalies</h2>
          <Anomalies anomalies={stats.anomalies} now={stats.now} />
        </section>
      </div>
      <div className="sides main-left">
        <Latency stats={stats} />
        <section className="section" aria-labelledby="busiest">
          <h2 id="busiest">Busiest rules</h2>
          {stats.byRule.length === 0 ? (
            <Empty title="No rule applied in the last ten seconds" />
          ) : (
            <Busiest rules={stats.byRule.slice(0, 8)} alone={alone} />
          )}
          {stats.hotKeys.length > 0 && <HotKeys keys={stats.hotKeys} />}
        </section>
      </div>
      {stats.loadEvents.length > 0 && (
        <section className="section" aria-labelledby="load">
          <h2 id="load">Limits that follow the load</h2>
          <LoadEvents events={stats.loadEvents.slice(0, 5)} now={stats.now} showRule />
        </section>
      )}
      <p className="quiet">
        Instance {stats.instance}, version {stats.version}, up for {duration(stats.now - stats.startedAt)}. Charts show
        this instance.
      </p>
    </div>
  );
}

/** Returns the last five minutes, or the time since the start. */
function useHistory(startedAt: number): History {
  const { history } = useLive();
  return useMemo(() => since(history, startedAt), [history, startedAt]);
}

function Decisions({ stats }: { stats: Stats }) {
  const history = useHistory(stats.startedAt);
  const { rates } = stats;
  const all = rates.allowed + rates.denied;
  const summary = `Now ${rate(rates.allowed)} allowed and ${rate(rates.denied)} denied (${percent(rates.denied, all)}) per second, ${rate(rates.shadowDenied)} would be denied by shadow rules, ${rate(rates.degraded)} decided by policy.`;
  return (
    <section className="section">
      <DecisionsChart recent={{ rates: history, summary }} />
    </section>
  );
}

function Latency({ stats }: { stats: Stats }) {
  const history = useHistory(stats.startedAt);
  const lines = useMemo(
    () => [
      { label: 'Median', colour: '--allowed', values: history.p50 },
      { label: '99 %', colour: '--shadow', dash: [5, 3], values: history.p99 },
    ],
    [history],
  );
  const { check, store } = stats.latency;
  return (
    <section className="section">
      <Chart
        title="Latency of a check"
        summary={check ? `Median ${micros(check.p50)}, 99 percent within ${micros(check.p99)} over the last minute.` : 'No checks in the last minute.'}
        at={history.at}
        lines={lines}
        format={micros}
        height={200}
        atLeast={20}
      />
      <table className="latency">
        <caption>Over the last minute</caption>
        <thead>
          <tr>
            <th scope="col" />
            <th scope="col" className="num">Median</th>
            <th scope="col" className="num">90 %</th>
            <th scope="col" className="num">99 %</th>
            <th scope="col" className="num">Longest</th>
          </tr>
        </thead>
        <tbody>
          {[
            { name: 'Check', row: check },
            { name: 'Store', row: store },
          ].map(({ name, row }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="num">{micros(row?.p50)}</td>
              <td className="num">{micros(row?.p90)}</td>
              <td className="num">{micros(row?.p99)}</td>
              <td className="num">{micros(row?.max)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
