import type { HistorySeries, Range } from '../api/types';

export const RANGES: { value: Range; name: string; words: string }[] = [
  { value: '5m', name: '5 min', words: 'the last five minutes' },
  { value: '1h', name: '1 h', words: 'the last hour' },
  { value: '24h', name: '24 h', words: 'the last 24 hours' },
];

export const rangeWords = (range: Range) => RANGES.find(({ value }) => value === range)!.words;

/** How often a range is loaded again. */
export const refreshMs = (range: Range) => (range === '5m' ? 1000 : range === '1h' ? 5000 : 30_000);

/** Rates per second. Times are in seconds; null marks the time before the service was started. */
export interface Rates {
  at: number[];
  allowed: (number | null)[];
  denied: (number | null)[];
  shadowDenied: (number | null)[];
  degraded: (number | null)[];
}

/** A last bucket that has hardly begun has no meaningful rate. */
const MIN_PART = 0.25;

/** A chart has at least this many buckets, also of a service that was just started. */
const MIN_BUCKETS = 60;

/** Converts the counts of buckets to rates, from the start of the service on. */
export function ratesOf(series: HistorySeries): Rates {
  const { from, stepMs, lastMs, startedAt } = series;
  const last = series.allowed.length - 1;
  const end = lastMs < stepMs * MIN_PART ? last : last + 1;
  const started = Math.max(0, Math.floor((startedAt - from) / stepMs));
  const begin = Math.min(started, Math.max(0, end - MIN_BUCKETS));
  const times = Array.from({ length: Math.max(0, end - begin) }, (_, i) => from + (begin + i) * stepMs);
  const column = (counts: number[]) =>
    times.map((_, i) => (begin + i < started ? null : (1000 * (counts[begin + i] ?? 0)) / (begin + i === last ? lastMs : stepMs)));
  return {
    at: times.map((time) => time / 1000),
    allowed: column(series.allowed),
    denied: column(series.denied),
    shadowDenied: column(series.shadowDenied),
    degraded: column(series.degraded),
  };
}

/** Sums the counts of a series, for its text alternative. */
export const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
