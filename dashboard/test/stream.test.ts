import { describe, expect, it } from 'vitest';
import { eventReader, type ServerEvent } from '../src/api/events';
import { backoffMs, readStream } from '../src/api/stream';
import type { Tick } from '../src/api/types';
import { historyOf, MAX_SECONDS, noHistory, withTick } from '../src/live/history';
import { network, problem } from './setup';

const collect = (...chunks: string[]) => {
  const events: ServerEvent[] = [];
  const take = eventReader((event) => events.push(event));
  chunks.forEach(take);
  return events;
};

describe('a stream of events', () => {
  it('is parsed for any division into chunks', () => {
    const text = 'retry: 2000\n\n: heartbeat\n\nevent: stats\ndata: {"a":1}\n\nevent: rules\r\ndata: {}\r\n\r\n';
    const whole = collect(text);
    expect(whole).toEqual([
      { event: 'stats', data: '{"a":1}' },
      { event: 'rules', data: '{}' },
    ]);
    expect(collect(...text)).toEqual(whole);
  });

  it('joins several lines of data', () => {
    expect(collect('data: a\ndata: b\n\n')).toEqual([{ event: 'message', data: 'a\nb' }]);
  });

  it('holds back an incomplete event', () => {
    expect(collect('event: stats\ndata: {}')).toEqual([]);
  });

  it('is read to its end', async () => {
    network(() => new Response('event: rules\ndata: {"revision":3}\n\n', { headers: { 'Content-Type': 'text/event-stream' } }));
    const events: ServerEvent[] = [];
    let opened = 0;
    await readStream('/v1/stream', () => opened++, (event) => events.push(event), new AbortController().signal);
    expect(opened).toBe(1);
    expect(events).toEqual([{ event: 'rules', data: '{"revision":3}' }]);
  });

  it('reports why it was refused', async () => {
    network(() => problem(503, 'there are 64 streams already'));
    const never = () => expect.unreachable();
    await expect(readStream('/v1/stream', never, never, new AbortController().signal)).rejects.toMatchObject({ status: 503 });
  });

  it('is retried soon, and within five seconds at most', () => {
    expect([0, 1, 2, 3, 9].map(backoffMs)).toEqual([1000, 2000, 4000, 5000, 5000]);
  });
});

describe('the history', () => {
  const tick = (at: number): Tick => ({ at, allowed: 1, denied: 2, shadowDenied: 3, degraded: 4, delayed: 0, unmatched: 0, p50: null, p99: 9 });

  it('continues the initial series', () => {
    const series = { from: 10_000, stepMs: 1000, allowed: [1, 2], denied: [0, 0], shadowDenied: [0, 0], degraded: [0, 0], p50: [null, 5], p99: [null, 9] };
    const history = withTick(historyOf(series), tick(12_000));
    expect(history.at).toEqual([10, 11, 12]);
    expect(history.allowed).toEqual([1, 2, 1]);
    expect(history.p50).toEqual([null, 5, null]);
  });

  it('ignores a second that is already present', () => {
    const once = withTick(noHistory, tick(5000));
    expect(withTick(once, tick(5000))).toBe(once);
  });

  it('leaves a gap for missing seconds', () => {
    const history = withTick(withTick(noHistory, tick(5000)), tick(8000));
    expect(history.at).toEqual([5, 6, 7, 8]);
    expect(history.allowed).toEqual([1, null, null, 1]);
    expect(history.p99).toEqual([9, null, null, 9]);
    const long = withTick(history, tick(3_600_000));
    expect(long.at).toHaveLength(MAX_SECONDS);
    expect(long.at[0]).toBe(3600 - MAX_SECONDS + 1);
    expect(long.allowed.filter((n) => n !== null)).toEqual([1]);
  });

  it('drops seconds older than five minutes', () => {
    let history = noHistory;
    for (let i = 0; i < MAX_SECONDS + 10; i++) history = withTick(history, tick(i * 1000));
    expect(history.at).toHaveLength(MAX_SECONDS);
    expect(history.at[0]).toBe(10);
  });
});
