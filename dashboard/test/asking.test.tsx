import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readStream, SILENCE_MS } from '../src/api/stream';
import { ANSWER_MS, within } from '../src/api/within';
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

describe('asking again and again', () => {
  it('waits for an answer before it asks the next time', async () => {
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

  it('gives up a question that nobody answers, says so, and goes on', async () => {
    let silent = false;
    const call = vi.fn(() => (silent ? new Promise<string>(() => {}) : Promise.resolve('there')));
    render(<Shown call={call} />);
    await pass(0);
    silent = true;
    await pass(EVERY_MS + ANSWER_MS);
    expect(screen.getByText(/there The service has not answered within 10 s\./)).toBeTruthy();
    silent = false;
    await pass(EVERY_MS);
    expect(screen.getByText('there')).toBeTruthy();
  });

  it('stops a question when it is given up', async () => {
    const signals: AbortSignal[] = [];
    const asked = within(50, (signal) => new Promise(() => signals.push(signal)), new AbortController().signal);
    const failed = expect(asked).rejects.toMatchObject({ status: 0 });
    await vi.advanceTimersByTimeAsync(50);
    await failed;
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe('a stream of events that falls silent', () => {
  it('is taken for dead within seconds', async () => {
    vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
      const reader = { read: () => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))) };
      return Promise.resolve({ ok: true, status: 200, body: { getReader: () => reader } });
    });
    const opened = vi.fn();
    const read = readStream('/v1/stream', opened, () => {}, new AbortController().signal);
    const failed = expect(read).rejects.toMatchObject({ status: 0, detail: 'The stream has been silent for too long.' });
    await vi.advanceTimersByTimeAsync(SILENCE_MS);
    await failed;
    expect(opened).toHaveBeenCalledOnce();
    expect(SILENCE_MS).toBeLessThanOrEqual(6000);
  });
});
