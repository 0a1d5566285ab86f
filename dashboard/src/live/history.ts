import type { Series, Tick } from '../api/types';

/**
 * The last five minutes, one column for each series. Times are in seconds; null marks missing data.
 */
export interface History {
  at: number[];
  allowed: (number | null)[];
  denied: (number | null)[];
  shadowDenied: (number | null)[];
  degraded: (number | null)[];
  p50: (number | null)[];
  p99: (number | null)[];
}

export const MAX_SECONDS = 300;

export const noHistory: History = {
  at: [],
  allowed: [],
  denied: [],
  shadowDenied: [],
  degraded: [],
  p50: [],
  p99: [],
};

export function historyOf(series: Series): History {
  return {
    at: series.allowed.map((_, i) => (series.from + i * series.stepMs) / 1000),
    allowed: series.allowed,
    denied: series.denied,
    shadowDenied: series.shadowDenied,
    degraded: series.degraded,
    p50: series.p50,
    p99: series.p99,
  };
}

/**
 * Adds the second that just ended. A second that is present is ignored, since streams overlap after
 * a reconnect. Missed seconds are unknown, and no line is drawn across them.
 */
export function withTick(history: History, tick: Tick): History {
  const at = Math.floor(tick.at / 1000);
  const last = Math.floor(history.at.at(-1) ?? at - 1);
  if (last >= at) return history;
  const missed = Math.min(at - last - 1, MAX_SECONDS - 1);
  const gap: null[] = Array(missed).fill(null);
  const push = <T>(column: T[], value: T, between: T[]) => [...column, ...between, value].slice(-MAX_SECONDS);
  const add = (column: (number | null)[], value: number | null) => push(column, value, gap);
  return {
    at: push(history.at, at, gap.map((_, i) => at - missed + i)),
    allowed: add(history.allowed, tick.allowed),
    denied: add(history.denied, tick.denied),
    shadowDenied: add(history.shadowDenied, tick.shadowDenied),
    degraded: add(history.degraded, tick.degraded),
    p50: add(history.p50, tick.p50),
    p99: add(history.p99, tick.p99),
  };
}

const MIN_SECONDS = 60;

/** Returns the history since the start of the service, but at least one minute. */
export function since(history: History, startedAt: number): History {
  const first = history.at.findIndex((at) => at * 1000 >= startedAt);
  const from = Math.min(first < 0 ? 0 : first, Math.max(0, history.at.length - MIN_SECONDS));
  if (from === 0) return history;
  const cut = <T>(column: T[]) => column.slice(from);
  return {
    at: cut(history.at),
    allowed: cut(history.allowed),
    denied: cut(history.denied),
    shadowDenied: cut(history.shadowDenied),
    degraded: cut(history.degraded),
    p50: cut(history.p50),
    p99: cut(history.p99),
  };
}
