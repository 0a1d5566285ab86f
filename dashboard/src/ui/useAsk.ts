import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort } from '../api/client';
import { Problem } from '../api/problem';

export interface AskState<T> {
  data: T | null;
  problem: Problem | null;
  loading: boolean;
  again: () => void;
}

/**
 * Asks when `key` changes, and every `everyMs` while the page is looked at. What was there stays until there is
 * something newer, also when asking again fails.
 */
export function useAsk<T>(key: string, call: (signal: AbortSignal) => Promise<T>, everyMs?: number): AskState<T> {
  const [state, setState] = useState<{ data: T | null; problem: Problem | null; loading: boolean; key: string }>({
    data: null,
    problem: null,
    loading: true,
    key,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(call);
  latest.current = call;

  useEffect(() => {
    const stop = new AbortController();
    setState((old) => (old.key === key ? { ...old, loading: true } : { data: null, problem: null, loading: true, key }));
    const ask = async () => {
      try {
        const data = await latest.current(stop.signal);
        if (!stop.signal.aborted) setState({ data, problem: null, loading: false, key });
      } catch (cause) {
        if (stop.signal.aborted || isAbort(cause)) return;
        setState((old) => ({ ...old, problem: Problem.of(cause), loading: false }));
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
    problem: fits ? state.problem : null,
    loading: fits ? state.loading : true,
    again,
  };
}

/** The value once it has stood still for a while. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
