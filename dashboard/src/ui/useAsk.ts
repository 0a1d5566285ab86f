import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort } from '../api/client';
import { Problem } from '../api/problem';
import { RESPONSE_TIMEOUT_MS, within } from '../api/within';

export interface AskState<T> {
  data: T | null;
  /** Time of the response. */
  at: number | null;
  problem: Problem | null;
  loading: boolean;
  again: () => void;
}

interface Kept<T> {
  data: T | null;
  at: number | null;
  problem: Problem | null;
  loading: boolean;
  key: string;
}

/**
 * Sends a request when `key` changes, and every `everyMs` while the page is visible. The last data
 * stay until newer data arrive, even if a later request fails. One request at a time, so that
 * responses cannot arrive out of order.
 */
export function useAsk<T>(key: string, call: (signal: AbortSignal) => Promise<T>, everyMs?: number): AskState<T> {
  const [state, setState] = useState<Kept<T>>({ data: null, at: null, problem: null, loading: true, key });
  const [round, setRound] = useState(0);
  const latest = useRef(call);
  latest.current = call;

  useEffect(() => {
    const stop = new AbortController();
    setState((old) => (old.key === key ? { ...old, loading: true } : { data: null, at: null, problem: null, loading: true, key }));
    let busy = false;
    const ask = async () => {
      if (busy) return;
      busy = true;
      try {
        // Without a timeout, one unanswered request would block all later ones.
        const data = await (everyMs ? within(RESPONSE_TIMEOUT_MS, latest.current, stop.signal) : latest.current(stop.signal));
        if (!stop.signal.aborted) setState({ data, at: Date.now(), problem: null, loading: false, key });
      } catch (cause) {
        if (stop.signal.aborted || isAbort(cause)) return;
        setState((old) => ({ ...old, problem: Problem.of(cause), loading: false }));
      } finally {
        busy = false;
      }
    };
    void ask();
    const timer = everyMs
      ? setInterval(() => {
          if (document.visibilityState !== 'hidden') void ask();
        }, everyMs)
      : undefined;
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [key, everyMs, round]);

  const again = useCallback(() => setRound((n) => n + 1), []);
  const fits = state.key === key;
  return {
    data: fits ? state.data : null,
    at: fits ? state.at : null,
    problem: fits ? state.problem : null,
    loading: fits ? state.loading : true,
    again,
  };
}

/** Returns the last value that was not null, so that a list does not flicker during loading. */
export function useLast<T>(value: T | null): T | null {
  const [last, setLast] = useState(value);
  useEffect(() => {
    if (value !== null) setLast(value);
  }, [value]);
  return value ?? last;
}

/** Returns the value after it has not changed for a while (debounce). */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
