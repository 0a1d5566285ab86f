import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { readStats } from '../api/calls';
import { isAbort } from '../api/client';
import { Problem } from '../api/problem';
import { backoffMs, readStream } from '../api/stream';
import { RESPONSE_TIMEOUT_MS, within } from '../api/within';
import type { Stats, Tick } from '../api/types';
import { historyOf, noHistory, withTick, type History } from './history';

export type Line = 'connecting' | 'live' | 'reconnecting';

export interface Live {
  line: Line;
  /** Why the stream is not connected, if it is not. */
  problem: Problem | null;
  stats: Stats | null;
  history: History;
  /** Incremented when the rules change. */
  rulesChanged: number;
}

const NOTHING: Live = { line: 'connecting', problem: null, stats: null, history: noHistory, rulesChanged: 0 };

const Context = createContext<Live>(NOTHING);

export const useLive = () => useContext(Context);

/** Provider for tests and for pages without a service. */
export const LiveValue = Context.Provider;

/**
 * Loads all statistics, then follows the stream of updates. Starts over after every disconnect.
 */
export function LiveFeed({ children }: { children: ReactNode }) {
  const [live, setLive] = useState<Live>(NOTHING);
  const state = useRef({ failures: 0 });

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const line = async () => {
      const { series, ...stats } = await within(RESPONSE_TIMEOUT_MS, readStats, signal);
      setLive((old) => ({ ...old, stats, history: historyOf(series), rulesChanged: old.rulesChanged + 1 }));
      const opened = () => {
        state.current.failures = 0;
        setLive((old) => ({ ...old, line: 'live', problem: null }));
      };
      await readStream('/v1/stream', opened, ({ event, data }) => setLive((old) => applyEvent(old, event, data)), signal);
    };
    const follow = async () => {
      while (!signal.aborted) {
        let problem: Problem | null = null;
        try {
          await line();
        } catch (cause) {
          if (signal.aborted || (isAbort(cause) && signal.aborted)) return;
          problem = Problem.of(cause);
        }
        setLive((old) => ({ ...old, line: 'reconnecting', problem }));
        await pause(backoffMs(state.current.failures++), signal);
      }
    };
    void follow();
    return () => stop.abort();
  }, []);

  return <Context value={live}>{children}</Context>;
}

export function applyEvent(old: Live, event: string, data: string): Live {
  if (event === 'rules') return { ...old, rulesChanged: old.rulesChanged + 1 };
  if (event !== 'stats') return old;
  const { tick, ...stats } = JSON.parse(data) as Stats & { tick?: Tick };
  return { ...old, stats, history: tick ? withTick(old.history, tick) : old.history };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
