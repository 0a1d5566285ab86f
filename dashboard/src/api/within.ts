import { Problem } from './problem';

/** As long as anybody wants to wait for a page of figures. */
export const ANSWER_MS = 10_000;

/** Gives a call up after a while: a line can be dead without anybody saying so. */
export function within<T>(ms: number, call: (signal: AbortSignal) => Promise<T>, outer: AbortSignal): Promise<T> {
  const own = new AbortController();
  const stop = () => own.abort();
  if (outer.aborted) stop();
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Problem(0, `The service has not answered within ${ms / 1000} s.`));
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
