import { useMemo } from 'react';
import type { WhatIf } from '../../api/types';
import { href } from '../../app/route';
import { Chart } from '../../ui/Chart';
import { Empty, Notice } from '../../ui/Notice';
import { clock, count, duration, moment, percent, plural } from '../../ui/format';

export function outcomeSentence(result: WhatIf): string {
  const { requests } = result.source;
  if (requests === 0) return 'There is no traffic to replay.';
  const { changedToDenied: down, changedToAllowed: up } = result;
  if (down === 0 && up === 0) return `No difference: all ${count(requests)} requests would have had the same decision.`;
  const parts = [
    down > 0 && `${count(down)} would change from allowed to denied (${percent(down, requests)})`,
    up > 0 && `${count(up)} would change from denied to allowed (${percent(up, requests)})`,
  ].filter(Boolean);
  return `Of ${count(requests)} requests, ${parts.join(', and ')}.`;
}

export function Outcome({ result }: { result: WhatIf }) {
  const { source, before, after } = result;
  return (
    <>
      <p className="said">{outcomeSentence(result)}</p>
      {source.requests > 0 && (
        <p className="quiet">
          {moment(source.from)} to {moment(source.to)}, {duration(source.to - source.from)}
          {source.weight > 1 && `; ${percent(source.replayed, source.requests)} of the traffic was replayed, and the figures are scaled to all of it`}.
        </p>
      )}
      {source.unreadable > 0 && (
        <Notice tone="warning" title={`${plural(source.unreadable, 'line')} could not be read`}>
          <ul>{source.samples.slice(0, 3).map((sample) => <li key={sample} className="mono break">{sample}</li>)}</ul>
        </Notice>
      )}
      {source.notes.length > 0 && (
        <Notice tone="warning" title="Limitations of this result">
          <ul>{source.notes.map((note) => <li key={note} className="break">{note}</li>)}</ul>
        </Notice>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col" />
            <th scope="col" className="num">Current</th>
            <th scope="col" className="num">Proposed</th>
            <th scope="col" className="num">Difference</th>
          </tr>
        </thead>
        <tbody>
          {(['allowed', 'denied', 'delayed'] as const).map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="num">{count(before[name])}</td>
              <td className="num">{count(after[name])}</td>
              <td className={before[name] === after[name] ? 'num zero' : 'num'}>{signed(after[name] - before[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {source.requests > 0 && <Denials result={result} />}
      <ByRule result={result} />
      <Noticing result={result} />
    </>
  );
}

const signed = (n: number) => (n > 0 ? `+${count(n)}` : n < 0 ? `−${count(-n)}` : '0');

function Denials({ result }: { result: WhatIf }) {
  const { series } = result;
  const at = useMemo(() => series.offered.map((_, i) => (series.from + i * series.stepMs) / 1000), [series]);
  const lines = useMemo(
    () => [
      { label: 'Requests', colour: '--offered', dash: [2, 3], values: series.offered },
      { label: 'Denied, current rules', colour: '--shadow', dash: [6, 2], values: series.deniedBefore },
      { label: 'Denied, proposed rules', colour: '--denied', fill: true, width: 2, values: series.deniedAfter },
    ],
    [series],
  );
  return (
    <Chart
      title={`In each ${duration(series.stepMs)}`}
      summary={`Denied before ${count(result.before.denied)}, after ${count(result.after.denied)}.`}
      at={at}
      lines={lines}
      format={count}
      height={180}
    />
  );
}

function ByRule({ result }: { result: WhatIf }) {
  const rules = result.byRule.filter((rule) => rule.requestsBefore > 0 || rule.requestsAfter > 0);
  if (rules.length === 0) return null;
  return (
    <table>
      <caption>Denials by rule</caption>
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col" className="num">Requests</th>
          <th scope="col" className="num">Current</th>
          <th scope="col" className="num">Proposed</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <tr key={rule.rule}>
            <th scope="row" className="break"><a href={href(['rules', rule.rule])}>{rule.rule}</a></th>
            <td className="num">{count(Math.max(rule.requestsBefore, rule.requestsAfter))}</td>
            <td className="num">{count(rule.deniedBefore)}</td>
            <td className="num">{count(rule.deniedAfter)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Noticing({ result }: { result: WhatIf }) {
  const callers = result.callers.filter((caller) => caller.deniedBefore !== caller.deniedAfter);
  if (callers.length === 0) return result.source.requests > 0 ? <Empty title="No caller is affected" /> : null;
  return (
    <table className="cards">
      <caption>Callers with the largest change</caption>
      <thead>
        <tr>
          <th scope="col">Caller</th>
          <th scope="col" className="num">Requests</th>
          <th scope="col" className="num">Denied</th>
          <th scope="col" className="num">Proposed</th>
          <th scope="col" className="num">First at</th>
        </tr>
      </thead>
      <tbody>
        {callers.map((caller) => (
          <tr key={caller.caller}>
            <th scope="row" className="whole break"><a href={href(['callers', caller.caller])}>{caller.caller}</a></th>
            <td className="num" data-name="Requests">{count(caller.requests)}</td>
            <td className="num" data-name="Denied">{count(caller.deniedBefore)}</td>
            <td className="num" data-name="Proposed">{count(caller.deniedAfter)}</td>
            <td className="num" data-name="First at">{caller.firstDeniedAt === null ? '–' : clock(caller.firstDeniedAt, true)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
