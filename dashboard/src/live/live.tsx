import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { readStats } from '../api/calls';
import { isAbort } from '../api/client';
import { Problem } from '../api/problem';
import { pauseMs, readStream } from '../api/stream';
import { ANSWER_MS, within } from '../api/within';
import type { Stats, Tick } from '../api/types';
import { historyOf, noHistory, withTick, type History } from './history';

export type Line = 'connecting' | 'live' | 'reconnecting';

export interface Live {
  line: Line;
  /** Why the line is not up, if it is not. */
  problem: Problem | null;
  stats: Stats | null;
  history: History;
  /** Grows when the rules have changed. */
  rulesChanged: number;
}

const NOTHING: Live = { line: 'connecting', problem: null, stats: null, history: noHistory, rulesChanged: 0 };

const Context = createContext<Live>(NOTHING);

export const useLive = () => useContext(Context);

/** For tests, and for pages that are shown without a service. */
export const LiveValue = Context.Provider;

/** Follows the service: everything at first, then second by second; again from the start after every break. */
export function LiveFeed({ children }: { children: ReactNode }) {
  const [live, setLive] = useState<Live>(NOTHING);
  const state = useRef({ failures: 0 });

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const line = async () => {
      const { series, ...stats } = await within(ANSWER_MS, readStats, signal);
      setLive((old) => ({ ...old, stats, history: historyOf(series), rulesChanged: old.rulesChanged + 1 }));
      const opened = () => {
        state.current.failures = 0;
        setLive((old) => ({ ...old, line: 'live', problem: null }));
      };
      await readStream('/v1/stream', opened, ({ event, data }) => setLive((old) => heard(old, event, data)), signal);
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
        await pause(pauseMs(state.current.failures++), signal);
      }
    };
    void follow();
    return () => stop.abort();
  }, []);

  return <Context value={live}>{children}</Context>;
}

export function heard(old: Live, event: string, data: string): Live {
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
