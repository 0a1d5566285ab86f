import { useMemo, useState, type ReactNode } from 'react';
import type { BackendLevel, LoadEvent, LoadSeries, TunedRate } from '../../api/types';
import { Chart } from '../../ui/Chart';
import { compact, duration, moment, percent, rate } from '../../ui/format';

/** The drop levels of a rule that sheds load, as this instance applies them. */
export function Levels({ levels, children }: { levels: BackendLevel[]; children?: ReactNode }) {
  return (
    <section className="section" aria-labelledby="levels">
      <h2 id="levels">Load shedding</h2>
      {levels.length === 0 && <p className="quiet">No backend has reported or had requests in the last minute.</p>}
      <LoadTable levels={levels} column="Dropped" value={({ level }) => percent(level, 1)} without="nothing is dropped" />
      {children}
    </section>
  );
}

/** The present rates of a rule whose rate follows a signal; nothing if there are none. */
export function TunedRates({ rates, children }: { rates: TunedRate[]; children?: ReactNode }) {
  if (rates.length === 0) return null;
  return (
    <section className="section" aria-labelledby="tuned">
      <h2 id="tuned">Rate that follows the load</h2>
      <LoadTable levels={rates} column="Rate" value={({ ratePerSecond }) => `${compact(ratePerSecond)} per second`} without="the rate of the rule applies" />
      {children}
    </section>
  );
}

function LoadTable<T extends BackendLevel>({ levels, column, value, without }: { levels: T[]; column: string; value: (level: T) => string; without: string }) {
  if (levels.length === 0) return null;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Backend</th>
          <th scope="col">{column}</th>
          <th scope="col">Signal</th>
          <th scope="col">Target</th>
          <th scope="col">Reporters</th>
          <th scope="col">Last report</th>
        </tr>
      </thead>
      <tbody>
        {levels.map((level) => (
          <tr key={level.backend}>
            <td className="mono break">{level.backend || 'all'}</td>
            <td>{value(level)}</td>
            <td>{level.signalAgeMs === null ? '–' : figure(level.kind, level.signal)}</td>
            <td>{figure(level.kind, level.target)}</td>
            <td>{level.reporters}</td>
            <td>{level.signalAgeMs === null ? `none; ${without}` : `${duration(level.signalAgeMs)} ago`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const isTime = (kind: string) => kind === 'latency' || kind === 'queue-wait';
const figure = (kind: string, value: number) => `${kind.replace('-', ' ')} ${value}${isTime(kind) ? ' ms' : ''}`;

/** The level or the rate of one backend and its signal over time, in one chart. */
export function LoadChart({ series, levels, rates }: { series: LoadSeries[]; levels: BackendLevel[]; rates: boolean }) {
  const [chosen, setChosen] = useState('');
  const shown = series.find(({ backend }) => backend === chosen) ?? series[0];
  const level = levels.find(({ backend }) => backend === shown?.backend);
  const at = useMemo(() => (shown?.at ?? []).map((ms) => ms / 1000), [shown]);
  const target = level?.target ?? null;
  const lines = useMemo(
    () => [
      { label: rates ? 'Rate' : 'Dropped', colour: '--allowed', fill: true, values: shown?.value ?? [] },
      { label: 'Signal', colour: '--denied', dash: [6, 2], width: 2, right: true, values: shown?.signal ?? [] },
      { label: 'Target', colour: '--quiet', dash: [2, 3], right: true, values: (shown?.at ?? []).map(() => target) },
    ],
    [shown, target, rates],
  );
  if (!shown || at.length < 2) return null;
  const kind = level?.kind ?? '';
  const signal = (value: number) => (isTime(kind) ? `${compact(value)} ms` : String(Math.round(value * 1000) / 1000));
  const value = rates ? rate : (share: number) => percent(share, 1);
  const last = lines[0]!.values.at(-1) ?? 0;
  const heard = shown.signal.at(-1);
  return (
    <>
      {series.length > 1 && (
        <label>
          Backend{' '}
          <select value={shown.backend} onChange={(event) => setChosen(event.target.value)}>
            {series.map(({ backend }) => (
              <option key={backend} value={backend}>
                {backend || 'all'}
              </option>
            ))}
          </select>
        </label>
      )}
      <Chart
        title={`${rates ? 'Rate' : 'Dropped requests'} and signal of ${shown.backend || 'all backends'}`}
        summary={`${rates ? `The rate is ${value(last)} per second` : `${value(last)} of the requests are dropped`}; the signal is ${heard == null ? 'not reported' : signal(heard)}.`}
        at={at}
        lines={lines}
        format={value}
        right={{ format: signal, atLeast: isTime(kind) ? 1 : 0.1 }}
        height={200}
        atLeast={rates ? 1 : 0.1}
      />
    </>
  );
}

/** When and why levels and rates changed; nothing if they did not. */
export function LoadEvents({ events, now, showRule = false }: { events: LoadEvent[]; now: number; showRule?: boolean }) {
  if (events.length === 0) return null;
  return (
    <table>
      <caption>Changes because of the load</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {showRule && <th scope="col">Rule</th>}
          <th scope="col">Backend</th>
          <th scope="col">Change</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <tr key={`${event.at} ${event.rule} ${event.backend}`}>
            <td>{moment(event.at, now)}</td>
            {showRule && <td className="break">{event.rule}</td>}
            <td className="mono break">{event.backend || 'all'}</td>
            <td>
              {changeText(event)} {event.shadow && <span className="tag shadow">shadow</span>}
            </td>
            <td>{event.reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const changeText = ({ change, before, after, shadow }: LoadEvent) => {
  if (change === 'rate') return `${compact(before)} → ${compact(after)} per second`;
  if (after === 0) return shadow ? 'would no longer drop requests' : 'no longer drops requests';
  return `${shadow ? 'would begin' : 'began'} to drop requests`;
};
