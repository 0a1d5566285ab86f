import { useMemo } from 'react';
import { readCaller } from '../../api/calls';
import type { OneCaller } from '../../api/types';
import { href } from '../../app/route';
import { Chart } from '../../ui/Chart';
import { Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { compact, count, moment, percent, rate, subjectText } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { ExplainView } from './ExplainView';

export function CallerPage({ caller }: { caller: string }) {
  const { data, problem, again } = useAsk(`caller ${caller}`, (signal) => readCaller(caller, signal), 2000);
  return (
    <>
      <div className="page-head">
        <a href={href(['callers'])}>Callers</a>
        <h1 className="break">{caller}</h1>
      </div>
      {!data && !problem && <Loading what={caller} />}
      {problem?.status === 404 && !data && (
        <div className="stack">
          <Notice tone="info" title="Not among the callers of late">
            Only the busiest are tracked, each for a while. What applies to it can be asked all the same.
          </Notice>
          <section className="section">
            <ExplainView subject={{ key: caller }} />
          </section>
        </div>
      )}
      {problem && problem.status !== 404 && <ProblemNotice problem={problem} again={again} />}
      {data && (
        <div className="stack">
          <Summary caller={data} />
          <section className="section">
            <Timeline caller={data} />
          </section>
          <section className="section" aria-labelledby="why">
            <h2 id="why">Why, and what is left</h2>
            {data.denied > 0 && (
              <p className="lately">
                Denied {count(data.denied)} times since {moment(data.since)}
                {data.rules.length > 0 && ', by '}
                {data.rules.map((rule, i) => (
                  <span key={rule}>
                    {i > 0 && ', '}
                    <a href={href(['rules', rule])}>{rule}</a>
                  </span>
                ))}
                . Now:
              </p>
            )}
            <ExplainView subject={data.subject} />
          </section>
        </div>
      )}
    </>
  );
}

function Summary({ caller }: { caller: OneCaller }) {
  const all = caller.allowed + caller.denied;
  return (
    <dl className="figures">
      <div className="figure">
        <dt>A second</dt>
        <dd className="value">{rate(caller.perSecond)}</dd>
        <dd className="note">{caller.burstRatio === null ? '' : `peak ${caller.burstRatio.toFixed(1)}× the mean`}</dd>
      </div>
      <div className="figure allowed">
        <dt>Allowed</dt>
        <dd className="value">{count(caller.allowed)}</dd>
        <dd className="note">{percent(caller.allowed, all)}</dd>
      </div>
      <div className="figure denied">
        <dt>Denied</dt>
        <dd className="value">{count(caller.denied)}</dd>
        <dd className="note">{percent(caller.denied, all)}</dd>
      </div>
      <div className="figure">
        <dt>Seen</dt>
        <dd className="value small">{moment(caller.last)}</dd>
        <dd className="note">first {moment(caller.since)}</dd>
      </div>
      <div className="figure long">
        <dt>Asked as</dt>
        <dd className="value small mono break">{subjectText(caller.subject)}</dd>
        <dd className="note">{caller.error > 0 ? `counts may be ${count(caller.error)} too high` : 'counts are exact'}</dd>
      </div>
    </dl>
  );
}

function Timeline({ caller }: { caller: OneCaller }) {
  const { from, stepMs, allowed, denied } = caller.series;
  const at = useMemo(() => allowed.map((_, i) => (from + i * stepMs) / 1000), [allowed, from, stepMs]);
  const lines = useMemo(
    () => [
      { label: 'Allowed', colour: '--allowed', fill: true, values: allowed },
      { label: 'Denied', colour: '--denied', dash: [6, 2], width: 2, values: denied },
    ],
    [allowed, denied],
  );
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  return (
    <Chart
      title="Decisions a second"
      summary={`${count(sum(allowed))} allowed and ${count(sum(denied))} denied in the time shown.`}
      at={at}
      lines={lines}
      format={rate}
      ticks={compact}
      height={200}
      atLeast={3}
    />
  );
}
