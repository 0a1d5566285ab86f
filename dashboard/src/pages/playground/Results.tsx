import { useState, type PointerEvent } from 'react';
import type { Trial, TrialResult } from '../../api/types';
import { compact, count, duration, percent } from '../../ui/format';
import { bars, type Bar } from './bars';
import { lesson } from './lesson';
import { ALGORITHMS } from './setup';

interface Hover {
  at: number | null;
  onMove: (event: PointerEvent<Element>) => void;
  onLeave: () => void;
}

/** Shows the results of all algorithms with a common time axis and scale. */
export function Results({ trial, stale }: { trial: Trial; stale: boolean }) {
  const [at, setAt] = useState<number | null>(null);
  const steps = trial.offered.length;
  const tallest = Math.max(1, ...trial.offered);
  const hover: Hover = {
    at,
    onMove: (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      setAt(Math.min(steps - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * steps))));
    },
    onLeave: () => setAt(null),
  };
  return (
    <div className={stale ? 'multiples stale' : 'multiples'}>
      <p className="said" aria-live="polite">
        {lesson(trial)}
      </p>
      <ul className="legend">
        <li><span className="key admitted" /> admitted</li>
        <li><span className="key delayed" /> admitted after a delay</li>
        <li><span className="key denied" /> denied</li>
        <li className="quiet">
          {at === null ? 'Point at a chart to compare values.' : `At ${duration(at * trial.stepMs)}: ${count(trial.offered[at] ?? 0)} requests`}
        </li>
      </ul>
      {trial.truncated && <p className="quiet">The traffic exceeds the maximum of a simulation; the rest was left out.</p>}
      {trial.notes.map((note) => (
        <p key={note} className="quiet">
          Note: {note}.
        </p>
      ))}
      <div className="multiple offered">
        <div className="about">
          <h3>Offered</h3>
          <p className="quiet">{count(trial.requests)} requests in {duration(trial.durationMs)}; the scale of all charts ends at {count(tallest)} in {duration(trial.stepMs)}.</p>
        </div>
        <Plot steps={steps} tallest={tallest} hover={hover} layers={[{ name: 'offered', values: trial.offered }]} summary={`${count(trial.requests)} requests, at most ${count(tallest)} in ${duration(trial.stepMs)}.`} />
      </div>
      {trial.results.map((result) => (
        <Multiple key={result.name} result={result} trial={trial} tallest={tallest} hover={hover} />
      ))}
      <Axis durationMs={trial.durationMs} />
    </div>
  );
}

function Multiple({ result, trial, tallest, hover }: { result: TrialResult; trial: Trial; tallest: number; hover: Hover }) {
  const known = ALGORITHMS[result.name];
  const { totals, delay, stateBytes, tenants } = result;
  const passed = totals.admitted + totals.delayed;
  const waits = totals.delayed > 0;
  const at = hover.at;
  return (
    <div className="multiple">
      <div className="about">
        <h3>{known?.name ?? result.name}</h3>
        <p className="quiet">{known?.sentence ?? result.algorithm}</p>
        <dl>
          <div>
            <dt>Admitted</dt>
            <dd>
              {count(passed)} <span className="quiet">{percent(passed, trial.requests)}</span>
            </dd>
          </div>
          {tenants && tenants.length > 0 && (
            <>
              <Tenants name="Loud tenant" tenants={tenants.slice(0, 1)} />
              <Tenants name="Quiet tenants" tenants={tenants.slice(1)} />
            </>
          )}
          {waits && delay && (
            <div>
              <dt>Longest delay</dt>
              <dd>
                {duration(delay.maxMs)} <span className="quiet">median {duration(delay.p50Ms)}</span>
              </dd>
            </div>
          )}
          {stateBytes !== null && (
            <div>
              <dt>Memory per caller</dt>
              <dd>{compact(stateBytes)} bytes</dd>
            </div>
          )}
        </dl>
        {result.maxInWindow && <Gauge {...result.maxInWindow} />}
      </div>
      <div className="charts">
        <Plot
          steps={trial.offered.length}
          tallest={tallest}
          hover={hover}
          layers={[
            { name: 'admitted', values: result.admitted },
            { name: 'delayed', values: result.delayed },
            { name: 'denied', values: result.denied },
          ]}
          summary={`${count(totals.admitted)} admitted at once, ${count(totals.delayed)} after a wait, ${count(totals.denied)} denied.`}
        />
        {waits && <Queue values={result.queue} hover={hover} />}
        {at !== null && (
          <p className="reading num">
            {count((result.admitted[at] ?? 0) + (result.delayed[at] ?? 0))} admitted, {count(result.denied[at] ?? 0)} denied
            {waits && `, delay ${duration(result.queue[at] ?? 0)}`}
          </p>
        )}
      </div>
    </div>
  );
}

function Tenants({ name, tenants }: { name: string; tenants: { requests: number; admitted: number }[] }) {
  const requests = tenants.reduce((sum, tenant) => sum + tenant.requests, 0);
  const admitted = tenants.reduce((sum, tenant) => sum + tenant.admitted, 0);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {percent(admitted, requests)} <span className="quiet">of {count(requests)} admitted</span>
      </dd>
    </div>
  );
}

/** Shows the maximum admitted in any span of the window's length relative to the limit. */
function Gauge({ windowMs, admitted, limit }: { windowMs: number; admitted: number; limit: number }) {
  const over = admitted > limit;
  const end = Math.max(2 * limit, admitted);
  const within = Math.min(admitted, limit);
  return (
    <div className={over ? 'gauge over' : 'gauge'}>
      <p>
        <strong className="num">{count(admitted)}</strong> at most in any {duration(windowMs)}
        {over ? <>, <strong>{(admitted / limit).toFixed(admitted / limit < 1.1 ? 2 : 1)}× the limit</strong></> : `, within the limit of ${count(limit)}`}
      </p>
      <svg viewBox={`0 0 ${end} 10`} preserveAspectRatio="none" aria-hidden="true">
        <rect className="track" width={end} height="10" />
        <rect className="within" width={within} height="10" />
        {over && <rect className="beyond" x={limit} width={admitted - limit} height="10" />}
        <line x1={limit} x2={limit} y1="0" y2="10" />
      </svg>
    </div>
  );
}

function Plot({ steps, tallest, layers, hover, summary }: { steps: number; tallest: number; layers: Bar[]; hover: Hover; summary: string }) {
  return (
    <svg
      className="plot"
      viewBox={`0 0 ${steps} ${tallest}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summary}
      onPointerMove={hover.onMove}
      onPointerLeave={hover.onLeave}
    >
      {bars(layers, tallest).map((layer) => (
        <path key={layer.name} className={layer.name} d={layer.path} />
      ))}
      {hover.at !== null && <line className="cursor" x1={hover.at + 0.5} x2={hover.at + 0.5} y1="0" y2={tallest} />}
    </svg>
  );
}

function Queue({ values, hover }: { values: number[]; hover: Hover }) {
  const longest = Math.max(1, ...values);
  const [layer] = bars([{ name: 'wait', values }], longest);
  return (
    <div className="queue">
      <svg
        viewBox={`0 0 ${values.length} ${longest}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Waits of up to ${duration(longest)}.`}
        onPointerMove={hover.onMove}
        onPointerLeave={hover.onLeave}
      >
        <path className="wait" d={layer?.path} />
      </svg>
      <span className="quiet">wait, up to {duration(longest)}</span>
    </div>
  );
}

function Axis({ durationMs }: { durationMs: number }) {
  const marks = [0, 1, 2, 3, 4, 5, 6].map((i) => (durationMs * i) / 6);
  return (
    <div className="axis" aria-hidden="true">
      <span />
      <div>
        {marks.map((ms) => (
          <span key={ms}>{Math.round(ms / 1000)} s</span>
        ))}
      </div>
    </div>
  );
}
