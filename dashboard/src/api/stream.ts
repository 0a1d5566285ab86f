import { headers, isAbort } from './client';
import { eventReader, type ServerEvent } from './events';
import { Problem } from './problem';
import { tokenRefused } from './session';

/**
 * The service sends an event each second; a stream without data for this long is considered dead.
 */
export const IDLE_TIMEOUT_MS = 5_000;

/**
 * Reads a stream of events until it ends, and throws the reason. Uses fetch rather than
 * EventSource, which cannot send the token as a header.
 */
export async function readStream(
  path: string,
  onOpen: () => void,
  onEvent: (event: ServerEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const own = new AbortController();
  const stop = () => own.abort();
  signal.addEventListener('abort', stop);
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  const resetWatchdog = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(stop, IDLE_TIMEOUT_MS);
  };
  try {
    resetWatchdog();
    const response = await fetch(path, {
      headers: headers({ accept: 'text/event-stream' }),
      cache: 'no-store',
      signal: own.signal,
    });
    if (!response.ok) {
      if (response.status === 401) tokenRefused();
      throw await Problem.from(response);
    }
    if (!response.body) throw new Problem(0, 'The stream has no body.');
    onOpen();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const take = eventReader(onEvent);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      resetWatchdog();
      take(decoder.decode(value, { stream: true }));
    }
  } catch (cause) {
    if (isAbort(cause) && !signal.aborted) throw new Problem(0, 'No data from the stream for too long.');
    throw cause;
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener('abort', stop);
  }
}

/** Returns the backoff before attempt number `failures`: short at first, at most 5 s. */
export const backoffMs = (failures: number) => Math.min(1000 * 2 ** Math.min(failures, 3), 5000);
