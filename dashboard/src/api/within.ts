import { Problem } from './problem';

/** Timeout of a request for statistics. */
export const RESPONSE_TIMEOUT_MS = 10_000;

/** Aborts a call after a timeout, since a connection can be dead without an error. */
export function within<T>(ms: number, call: (signal: AbortSignal) => Promise<T>, outer: AbortSignal): Promise<T> {
  const own = new AbortController();
  const stop = () => own.abort();
  if (outer.aborted) stop();
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Problem(0, `No response from the service within ${ms / 1000} s.`));
      stop();
    }, ms);
    const done = () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', stop);
    };
    outer.addEventListener('abort', stop);
    call(own.signal).then(resolve, reject).finally(done);
  });
}
