import { headers, isAbort } from './client';
import { eventReader, type ServerEvent } from './events';
import { Problem } from './problem';
import { tokenRefused } from './session';

/** The service says something each second: a line that is silent for this long is dead. */
export const SILENCE_MS = 5_000;

/**
 * Reads a stream of events until it ends, and throws why. A fetch rather than an EventSource, which can't send the
 * token as a header.
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
  const heard = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(stop, SILENCE_MS);
  };
  try {
    heard();
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
      heard();
      take(decoder.decode(value, { stream: true }));
    }
  } catch (cause) {
    if (isAbort(cause) && !signal.aborted) throw new Problem(0, 'The stream has been silent for too long.');
    throw cause;
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener('abort', stop);
  }
}

/** How long to wait before try number `failures`: soon at first, then longer, never long. */
export const pauseMs = (failures: number) => Math.min(1000 * 2 ** Math.min(failures, 3), 5000);
