import { describe, expect, it } from 'vitest';
import { eventReader, type ServerEvent } from '../src/api/events';
import { pauseMs, readStream } from '../src/api/stream';
import type { Tick } from '../src/api/types';
import { historyOf, KEPT, noHistory, withTick } from '../src/live/history';
import { network, problem } from './setup';

const collect = (...chunks: string[]) => {
  const events: ServerEvent[] = [];
  const take = eventReader((event) => events.push(event));
  chunks.forEach(take);
  return events;
};

describe('a stream of events', () => {
  it('is read however it is cut', () => {
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

  it('keeps an event back until it is whole', () => {
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

  it('that is refused says why', async () => {
    network(() => problem(503, 'there are 64 streams already'));
    const never = () => expect.unreachable();
    await expect(readStream('/v1/stream', never, never, new AbortController().signal)).rejects.toMatchObject({ status: 503 });
  });

  it('is tried again soon, and never later than in five seconds', () => {
    expect([0, 1, 2, 3, 9].map(pauseMs)).toEqual([1000, 2000, 4000, 5000, 5000]);
  });
});

describe('the history', () => {
  const tick = (at: number): Tick => ({ at, allowed: 1, denied: 2, shadowDenied: 3, degraded: 4, p50: null, p99: 9 });

  it('takes over the series and goes on from there', () => {
    const series = { from: 10_000, stepMs: 1000, allowed: [1, 2], denied: [0, 0], shadowDenied: [0, 0], degraded: [0, 0], p50: [null, 5], p99: [null, 9] };
    const history = withTick(historyOf(series), tick(12_000));
    expect(history.at).toEqual([10, 11, 12]);
    expect(history.allowed).toEqual([1, 2, 1]);
    expect(history.p50).toEqual([null, 5, null]);
  });

  it('takes no second twice', () => {
    const once = withTick(noHistory, tick(5000));
    expect(withTick(once, tick(5000))).toBe(once);
  });

  it('leaves out seconds that nobody told of, rather than to draw a line across them', () => {
    const history = withTick(withTick(noHistory, tick(5000)), tick(8000));
    expect(history.at).toEqual([5, 6, 7, 8]);
    expect(history.allowed).toEqual([1, null, null, 1]);
    expect(history.p99).toEqual([9, null, null, 9]);
    const long = withTick(history, tick(3_600_000));
    expect(long.at).toHaveLength(KEPT);
    expect(long.at[0]).toBe(3600 - KEPT + 1);
    expect(long.allowed.filter((n) => n !== null)).toEqual([1]);
  });

  it('forgets what is older than five minutes', () => {
    let history = noHistory;
    for (let i = 0; i < KEPT + 10; i++) history = withTick(history, tick(i * 1000));
    expect(history.at).toHaveLength(KEPT);
    expect(history.at[0]).toBe(10);
  });
});
