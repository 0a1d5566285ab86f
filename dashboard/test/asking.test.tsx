import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readStream, IDLE_TIMEOUT_MS } from '../src/api/stream';
import { RESPONSE_TIMEOUT_MS, within } from '../src/api/within';
import { useAsk } from '../src/ui/useAsk';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const EVERY_MS = 1000;
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

function Shown({ call }: { call: () => Promise<string> }) {
  const { data, problem } = useAsk('it', call, EVERY_MS);
  return (
    <p>
      {data} {problem?.detail}
    </p>
  );
}

describe('polling', () => {
  it('waits for the response before the next request', async () => {
    const answers: ((text: string) => void)[] = [];
    const call = vi.fn(() => new Promise<string>((resolve) => answers.push(resolve)));
    render(<Shown call={call} />);
    await pass(3 * EVERY_MS);
    expect(call).toHaveBeenCalledTimes(1);
    answers[0]?.('the first');
    await pass(EVERY_MS);
    expect(call).toHaveBeenCalledTimes(2);
    expect(screen.getByText('the first')).toBeTruthy();
  });

  it('times out an unanswered request, reports it, and continues', async () => {
    let silent = false;
    const call = vi.fn(() => (silent ? new Promise<string>(() => {}) : Promise.resolve('there')));
    render(<Shown call={call} />);
    await pass(0);
    silent = true;
    await pass(EVERY_MS + RESPONSE_TIMEOUT_MS);
    expect(screen.getByText(/there No response from the service within 10 s\./)).toBeTruthy();
    silent = false;
    await pass(EVERY_MS);
    expect(screen.getByText('there')).toBeTruthy();
  });

  it('aborts a request on timeout', async () => {
    const signals: AbortSignal[] = [];
    const asked = within(50, (signal) => new Promise(() => signals.push(signal)), new AbortController().signal);
    const failed = expect(asked).rejects.toMatchObject({ status: 0 });
    await vi.advanceTimersByTimeAsync(50);
    await failed;
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe('an event stream without data', () => {
  it('is considered dead within seconds', async () => {
    vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
      const reader = { read: () => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))) };
      return Promise.resolve({ ok: true, status: 200, body: { getReader: () => reader } });
    });
    const opened = vi.fn();
    const read = readStream('/v1/stream', opened, () => {}, new AbortController().signal);
    const failed = expect(read).rejects.toMatchObject({ status: 0, detail: 'No data from the stream for too long.' });
    await vi.advanceTimersByTimeAsync(IDLE_TIMEOUT_MS);
    await failed;
    expect(opened).toHaveBeenCalledOnce();
    expect(IDLE_TIMEOUT_MS).toBeLessThanOrEqual(6000);
  });
});
