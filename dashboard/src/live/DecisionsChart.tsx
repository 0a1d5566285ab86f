import { useMemo, useState, type ReactNode } from 'react';
import { readHistory } from '../api/calls';
import type { Range } from '../api/types';
import { Chart } from '../ui/Chart';
import { Empty, Loading, ProblemNotice } from '../ui/Notice';
import { compact, count, rate } from '../ui/format';
import { useAsk, useLast } from '../ui/useAsk';
import { RANGES, ratesOf, rangeWords, refreshMs, sumOf, type Rates } from './ranges';

interface Props {
  /** All rules, if not given. */
  rule?: string;
  /** The five minutes to show, if they are known already. */
  recent?: { rates: Rates; summary: string };
  height?: number;
}

/** Decisions over time, for a range that the user chooses. */
export function DecisionsChart({ rule, recent, height = 250 }: Props) {
  const [range, setRange] = useState<Range>('5m');
  return (
    <>
      <RangePicker range={range} onChange={setRange} />
      {recent && range === '5m' ? <RatesChart {...recent} height={height} /> : <Loaded key={range} range={range} rule={rule} height={height} />}
    </>
  );
}

function RangePicker({ range, onChange }: { range: Range; onChange: (range: Range) => void }) {
  return (
    <fieldset className="segments ranges">
      <legend className="hidden">Time range</legend>
      {RANGES.map(({ value, name }) => (
        <label key={value}>
          <input type="radio" name="range" checked={value === range} onChange={() => onChange(value)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

function Loaded({ range, rule, height }: { range: Range; rule: string | undefined; height: number }) {
  const { data, problem, again } = useAsk(`history ${range} ${rule ?? ''}`, (signal) => readHistory(range, rule, signal), refreshMs(range));
  const shown = useLast(data);
  const rates = useMemo(() => shown && ratesOf(shown), [shown]);
  if (problem && !shown) return <ProblemNotice problem={problem} again={again} />;
  if (!shown || !rates) return <Loading what="the decisions" />;
  if (!shown.tracked) {
    return (
      <Empty title="No history of its own">
        The number of rules with a history is bounded, and this one has had too little traffic. Its decisions are counted in the overview.
      </Empty>
    );
  }
  const summary = `${count(sumOf(shown.allowed))} allowed, ${count(sumOf(shown.denied))} denied and ${count(sumOf(shown.shadowDenied))} shadow-denied in ${rangeWords(range)}.`;
  return <RatesChart rates={rates} summary={summary} height={height} />;
}

function RatesChart({ rates, summary, height }: { rates: Rates; summary: string; height: number }): ReactNode {
  const lines = useMemo(
    () => [
      { label: 'Allowed', colour: '--allowed', fill: true, values: rates.allowed },
      { label: 'Denied', colour: '--denied', dash: [6, 2], width: 2, values: rates.denied },
      { label: 'Shadow-denied', colour: '--shadow', dash: [2, 3], width: 2, values: rates.shadowDenied },
      { label: 'By policy', colour: '--degraded', dash: [8, 3, 2, 3], width: 2, values: rates.degraded },
    ],
    [rates],
  );
  return <Chart title="Decisions per second" summary={summary} at={rates.at} lines={lines} format={rate} ticks={compact} height={height} atLeast={5} />;
}
