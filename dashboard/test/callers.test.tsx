import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OneCaller, Subject } from '../src/api/types';
import { CallerPage } from '../src/pages/callers/CallerPage';
import { CallersPage, moreThan } from '../src/pages/callers/CallersPage';
import { subjectOf } from '../src/pages/callers/name';
import { json, network, problem, type Sent } from './setup';
import { as, withDialogs } from './show';

vi.mock('../src/ui/Chart', () => ({ Chart: ({ summary }: { summary: string }) => <p>{summary}</p> }));

beforeAll(withDialogs);
afterEach(() => vi.useRealTimers());

const POLL_MS = 2000;
const later = () => act(() => vi.advanceTimersByTimeAsync(POLL_MS));

const one = (part: Partial<OneCaller> = {}): OneCaller => ({
  caller: 'user:42', subject: { key: 'user:42' }, allowed: 1200, denied: 30, perSecond: 12.1, deniedPerSecond: 0.4, burstRatio: 3.2, since: 0, last: 0, error: 0, rules: ['per-user'],
  series: { from: 0, stepMs: 1000, allowed: [3, 4], denied: [0, 1] },
  ...part,
});
const rule = { id: 'login', applies: true, reason: '', mode: 'enforce', override: null, remaining: 0, conditions: [], limits: [{ rule: 'login', name: 'login', algorithm: 'rolling-window', limit: 5, remaining: 0, resetAfterMs: 1000 }] };
const explained = (sent: Sent) => {
  if (sent.path === '/v1/rules') return json(200, { revision: 1, total: 0, rules: [] });
  return sent.path === '/v1/explain' ? json(200, { subject: {}, rules: [rule], notApplying: 0, nearMisses: [] }) : undefined;
};
const subjects = (sent: Sent[], path: string) => sent.filter((asked) => asked.path === path).map(({ body }) => (JSON.parse(body) as { subject: Subject }).subject);

describe('a caller', () => {
  it('known to other instances only has statistics but no timeline', async () => {
    network((sent) => explained(sent) ?? json(200, one({ series: null })));
    as('read', <CallerPage caller="user:42" />);
    await screen.findByText("No timeline on this instance");
    expect(screen.getByText('1,200')).toBeTruthy();
  });

  it('has a timeline labelled as local when there are several instances', async () => {
    network((sent) => explained(sent) ?? json(200, one()));
    as('read', <CallerPage caller="user:42" />);
    await screen.findByText('7 allowed and 1 denied in the time shown.');
    expect(screen.getByText(/covers this instance; the counts above are the sums of 2 instances/)).toBeTruthy();
  });

  it('shows recent denials, not those since it was first seen', async () => {
    network((sent) => explained(sent) ?? json(200, one()));
    as('read', <CallerPage caller="user:42" />);
    const said = await screen.findByText(/Denied about 30 times in the last ten minutes/);
    expect(said.textContent).toContain('by per-user; older denials count less');
  });

  it('is explained and reset with the subject from when the page was opened', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let asked = 0;
    const sent = network((given) => {
      if (given.path === '/v1/reset') return json(200, { reset: true });
      return explained(given) ?? json(200, one({ subject: { ip: '10.0.0.1', path: `/${asked++}` } }));
    });
    as('admin', <CallerPage caller="ip=10.0.0.1" />);
    fireEvent.click(await screen.findByRole('button', { name: 'Reset…' }));
    await later();
    await later();
    expect(asked).toBeGreaterThan(1);
    const dialog = screen.getByRole('dialog');
    expect(within(dialog).getByText('ip=10.0.0.1 path=/0')).toBeTruthy();
    fireEvent.click(within(dialog).getByRole('button', { name: 'Reset the counter' }));
    await screen.findByText('The counter of login was reset');
    expect(subjects(sent, '/v1/reset')).toEqual([{ ip: '10.0.0.1', path: '/0' }]);
    expect(new Set(subjects(sent, '/v1/explain').map(({ path }) => path))).toEqual(new Set(['/0']));
    fireEvent.click(screen.getByRole('button', { name: 'Use its latest request' }));
    await waitFor(() => expect(subjects(sent, '/v1/explain').at(-1)?.['path']).not.toBe('/0'));
  });

  it('shows the age of statistics that can no longer be loaded', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let away = false;
    network((sent) => (away ? problem(503, 'not just now') : (explained(sent) ?? json(200, one()))));
    as('read', <CallerPage caller="user:42" />);
    await screen.findAllByText(/Limited by login/);
    away = true;
    await later();
    await later();
    await waitFor(() => expect(screen.getAllByText(/Data from \d\d:\d\d:\d\d/)).toHaveLength(2));
    expect(screen.getByText('1,200')).toBeTruthy();
  });

  it('that is not tracked is explained by its name', async () => {
    const sent = network(explained);
    as('read', <CallerPage caller="user=42" />);
    await screen.findByText('Not among the recent callers');
    await waitFor(() => expect(subjects(sent, '/v1/explain')).toEqual([{ user: '42' }]));
  });

  it('keeps an open dialog when it becomes tracked', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let tracked = false;
    network((sent) => explained(sent) ?? (tracked ? json(200, one()) : problem(404, 'not tracked')));
    as('admin', <CallerPage caller="user:42" />);
    await screen.findByText('Not among the recent callers');
    fireEvent.click(await screen.findByRole('button', { name: 'Reset…' }));
    tracked = true;
    await later();
    await screen.findByText('1,200');
    expect(within(screen.getByRole('dialog')).getByRole('button', { name: 'Reset the counter' })).toBeTruthy();
  });

  it('is parsed from its name', () => {
    expect(subjectOf('user:42')).toEqual({ key: 'user:42' });
    expect(subjectOf('user=a=b')).toEqual({ user: 'a=b' });
    expect(subjectOf('remote-address=10.0.0.1')).toEqual({ 'remote-address': '10.0.0.1' });
    expect(subjectOf('ip=2001:db8:0:1::/64')).toEqual({ ip: '2001:db8:0:1::' });
    expect(subjectOf('(unnamed: see --caller-attributes)')).toBeNull();
  });
});

describe('the list of callers', () => {
  const many = ({ query }: Sent) => {
    const { series: _, ...caller } = one();
    const callers = Array.from({ length: Number(query.get('limit')) }, (_, i) => ({ ...caller, caller: `user:${i}` }));
    return json(200, { now: 0, windowMs: 600_000, tracked: 5000, error: 0, instances: 1, callers });
  };

  it('loads at most as many as the service lists', async () => {
    expect([50, 200, 800].map(moreThan)).toEqual([200, 800, 1000]);
    const sent = network(many);
    as('read', <CallersPage />);
    await screen.findByText('user:49');
    fireEvent.click(screen.getByText('Show more'));
    await screen.findByText('user:199');
    // The page polls, so each limit may have been sent more than once.
    expect([...new Set(sent.map(({ query }) => query.get('limit')))]).toEqual(['50', '200']);
  });

  it('keeps its content and the focus while it is sorted', async () => {
    let answer = () => {};
    network(async (sent) => {
      if (sent.query.get('sort') === 'burst') await new Promise<void>((resolve) => (answer = resolve));
      return many(sent);
    });
    as('read', <CallersPage />);
    await screen.findByRole('link', { name: 'user:0' });
    const button = screen.getByRole('button', { name: 'Burst' });
    button.focus();
    fireEvent.click(button);
    expect(screen.getByRole('link', { name: 'user:0' })).toBeTruthy();
    expect(document.activeElement).toBe(button);
    await waitFor(() => expect(screen.getByLabelText('Top callers').getAttribute('aria-busy')).toBe('true'));
    answer();
    await waitFor(() => expect(screen.getByLabelText('Top callers').getAttribute('aria-busy')).toBe('false'));
    expect(document.activeElement).toBe(button);
  });
});
