import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Counts, HistorySeries, RuleFacts, RuleJson, RuleSummary } from '../src/api/types';
import { ratesOf } from '../src/live/ranges';
import { OverviewPage } from '../src/pages/overview/OverviewPage';
import { EditRulePage } from '../src/pages/rules/EditRulePage';
import { arranged } from '../src/pages/rules/filter';
import { Levels, LoadChart, LoadEvents, TunedRates } from '../src/pages/rules/Levels';
import { RulePage } from '../src/pages/rules/RulePage';
import { RulesPage } from '../src/pages/rules/RulesPage';
import { json, network, type Sent } from './setup';
import { as, change, editor, revision, RULE, withDialogs } from './show';

vi.mock('../src/ui/Chart', () => ({ Chart: ({ summary }: { summary: string }) => <p>{summary}</p> }));

beforeAll(withDialogs);

const NOW = 1_789_300_800_000;
const counts = (part: Partial<Counts> = {}): Counts => ({ allowed: 0, denied: 0, shadowDenied: 0, degraded: 0, delayed: 0, ...part });
const series = (part: Partial<HistorySeries> = {}): HistorySeries => ({
  now: NOW, instance: 'a', startedAt: NOW - 7_200_000, range: '1h', rule: null, tracked: true, from: NOW - 30_000, stepMs: 10_000, lastMs: 5000,
  allowed: [10, 20, 30, 15], denied: [0, 10, 0, 0], shadowDenied: [0, 0, 0, 0], degraded: [0, 0, 0, 0], delayed: [0, 0, 0, 0], ...part,
});
const summary = (rule: string, part: Partial<RuleSummary> = {}): RuleSummary => ({ rule, mode: 'enforce', lastMinute: counts(), lastDenied: null, changedAt: null, changedIn: null, ...part });
const facts: RuleFacts = {
  now: NOW, instance: 'a', startedAt: 0, rule: 'per-ip', inForce: true, mode: 'enforce', tracked: true, masked: false,
  lastMinute: counts({ allowed: 90, denied: 10 }), lastHour: counts({ allowed: 4000, denied: 12 }), lastDay: counts({ allowed: 90_000, denied: 30, degraded: 7 }),
  lastDenied: NOW - 1000, changedAt: NOW, changedIn: 12, onStoreFailure: 'allow',
  callers: { windowMs: 600_000, checks: 100, denials: 40, busiest: [{ caller: 'user:42', checks: 60, error: 0 }], denied: [{ caller: 'user:7', denials: 30, error: 0 }] },
  denials: [{ caller: 'us…42#a1b2c3', at: NOW, since: NOW - 9000, count: 17, shadow: true, limit: 'per-ip', retryAfterMs: null }],
  load: [],
};

describe('rates of a range', () => {
  it('are per second, also in the bucket that has not ended', () => {
    expect(ratesOf(series())).toMatchObject({ allowed: [1, 2, 3, 3], denied: [0, 1, 0, 0] });
    expect(ratesOf(series()).at).toEqual([NOW - 30_000, NOW - 20_000, NOW - 10_000, NOW].map((ms) => ms / 1000));
  });

  it('are unknown before the start, and in a bucket that has hardly begun', () => {
    expect(ratesOf(series({ startedAt: NOW - 15_000, lastMs: 100 })).allowed).toEqual([null, 2, 3]);
  });

  it('begin with the service, but not later than a readable chart does', () => {
    const day = (startedAt: number) => ratesOf(series({ from: 0, stepMs: 60_000, lastMs: 60_000, startedAt, allowed: Array(1440).fill(60) }));
    expect(day(-1).at).toHaveLength(1440);
    expect(day(1200 * 60_000).at).toHaveLength(240);
    expect(day(1430 * 60_000).at).toHaveLength(60);
    expect(day(1430 * 60_000).allowed.filter((rate) => rate !== null)).toEqual(Array(10).fill(1));
  });
});

describe('the overview', () => {
  it('counts the checks that no rule applied to', () => {
    as('read', <OverviewPage />);
    const tile = screen.getByText('No rule applied').closest('.figure') as HTMLElement;
    expect(within(tile).getByText('6.0')).toBeTruthy();
    expect(within(tile).getByText('4.9 % of all')).toBeTruthy();
  });

  it('loads longer ranges on request', async () => {
    const sent = network(({ path }) => (path === '/v1/stats/history' ? json(200, series()) : undefined));
    as('read', <OverviewPage />);
    expect(sent).toEqual([]);
    fireEvent.click(screen.getByLabelText('1 h'));
    await screen.findByText('75 allowed, 10 denied and 0 shadow-denied in the last hour.');
    expect(sent[0]?.query.toString()).toBe('range=1h');
  });
});

describe('the list of rules', () => {
  const rules: RuleJson[] = [
    { id: 'c', limit: { algorithm: 'token-bucket', rate: '1/1s' } },
    { id: 'a', mode: 'shadow', limit: { algorithm: 'token-bucket', rate: '1/1s' } },
    { id: 'b', mode: 'off', limit: 'deny' },
    { id: 'd', exempt: true },
  ];
  const summaries = [
    summary('c', { lastMinute: counts({ allowed: 5 }), changedAt: NOW - 90_000_000 }),
    summary('a', { mode: 'shadow', lastMinute: counts({ allowed: 9, shadowDenied: 2 }) }),
    summary('b', { mode: 'off', changedAt: NOW - 1000 }),
    summary('d', { lastMinute: counts({ denied: 3 }) }),
  ];
  const known = new Map(summaries.map((one) => [one.rule, one]));
  const ids = (...[filter, sort]: [Parameters<typeof arranged>[2], Parameters<typeof arranged>[3]]) => arranged([...rules], known, filter, sort, NOW).map(({ id }) => id).join('');

  it('is filtered by state', () => {
    expect(ids('all', 'order')).toBe('cabd');
    expect(ids('denying', 'order')).toBe('ad');
    expect(ids('shadow', 'order')).toBe('a');
    expect(ids('disabled', 'order')).toBe('b');
    expect(ids('changed', 'order')).toBe('b');
  });

  it('is sorted', () => {
    expect(ids('all', 'denied')).toBe('dacb');
    expect(ids('all', 'busiest')).toBe('acdb');
    expect(ids('all', 'changed')).toBe('bcad');
    expect(ids('all', 'id')).toBe('abcd');
  });

  it('offers filters with their counts, and loads all rules for them', async () => {
    const sent = network(({ path }) => (path === '/v1/rules' ? json(200, { revision: 7, total: 4, rules }) : path === '/v1/stats/rules' ? json(200, { now: NOW, instance: 'a', startedAt: 0, revision: 7, rules: summaries }) : undefined));
    as('read', <RulesPage />);
    await screen.findByRole('link', { name: 'c' });
    await waitFor(() => expect(screen.getByLabelText('Denying now 2')).toBeTruthy());
    fireEvent.click(screen.getByLabelText('Disabled 1'));
    await waitFor(() => expect(screen.queryByRole('link', { name: 'c' })).toBeNull());
    expect(screen.getByRole('link', { name: 'b' })).toBeTruthy();
    expect(sent.findLast(({ path }) => path === '/v1/rules')?.query.get('limit')).toBe('100000');
    fireEvent.click(screen.getByLabelText('All'));
    await screen.findByRole('link', { name: 'd' });
    fireEvent.change(screen.getByLabelText('Sort'), { target: { value: 'id' } });
    await waitFor(() => expect([...document.querySelectorAll('tbody th a')].map((link) => link.textContent)).toEqual(['a', 'b', 'c', 'd']));
  });
});

describe('the page of a rule', () => {
  const service = ({ path, query }: Sent) => {
    if (path === '/v1/rules/per-ip') return json(200, RULE, { ETag: '"7"' });
    if (path === '/v1/stats/rules/per-ip') return json(200, facts);
    if (path === '/v1/stats/history') return json(200, series({ rule: 'per-ip', range: query.get('range') as '5m' }));
    if (path !== '/v1/revisions') return undefined;
    expect(query.get('rule')).toBe('per-ip');
    const fields = [{ field: 'limit.rate', before: '300/1m', after: '600/1m' }];
    return query.has('before') ? json(200, { revisions: [{ ...revision(3, { message: 'the first' }), change: 'added', fields: [] }] }) : json(200, { revisions: [{ ...revision(12), change: 'changed', fields }], next: 12 });
  };

  it('shows decisions, callers, denials and the history with its differences', async () => {
    network(service);
    as('read', <RulePage id="per-ip" />);
    await screen.findByText('75 allowed, 10 denied and 0 shadow-denied in the last five minutes.');
    expect(screen.getByText(/300 in any minute, approximately/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'user:42' })).toBeTruthy();
    expect(screen.getByText('60 %')).toBeTruthy();
    // A masked name is shown as the service sends it.
    expect(screen.getByRole('link', { name: 'us…42#a1b2c3' }).getAttribute('href')).toBe('#/callers/us%E2%80%A642%23a1b2c3');
    await screen.findByText('600/1m');
    fireEvent.click(screen.getByRole('button', { name: 'Show older' }));
    await screen.findByText('the first');
    expect(screen.queryByRole('button', { name: 'Delete…' })).toBeNull();
    fireEvent.click(screen.getByLabelText('24 h'));
    await screen.findByText(/in the last 24 hours\./);
  });

  it('of a deleted rule shows what is left of it', async () => {
    network((sent) => (sent.path === '/v1/rules/per-ip' || sent.path.startsWith('/v1/stats') ? undefined : service(sent)));
    as('admin', <RulePage id="per-ip" />);
    await screen.findByText('There is no rule of this id');
    await screen.findByText('600/1m');
    expect(screen.queryByRole('link', { name: 'Edit' })).toBeNull();
  });
});

describe('an override for a caller', () => {
  it('is prepared as a draft', async () => {
    network((sent) => (sent.method === 'PUT' ? json(200, change()) : sent.path === '/v1/rules/per-ip' ? json(200, RULE, { ETag: '"7"' }) : undefined));
    as('admin', <EditRulePage id="per-ip" overrideFor={{ ip: '10.0.0.1' }} />);
    await waitFor(() => expect(editor().value).toContain('overrides:\n  - { match: { ip: "10.0.0.1" }, limit: { algorithm: sliding-window, rate: 300/1m } }\n'));
    expect(screen.getByText('Override 1')).toBeTruthy();
    await screen.findByText(/^Valid, checked/);
  });
});

describe('the levels of a rule that sheds load', () => {
  it('are shown with the signal that caused them', () => {
    const level = { rule: 'overload', kind: 'utilization', target: 0.8 };
    as('read', <Levels levels={[{ ...level, backend: 'checkout', level: 0.42, signal: 0.97, reporters: 3, signalAgeMs: 400 }, { ...level, backend: '', level: 0, signal: 0, reporters: 0, signalAgeMs: null }]} />);
    expect(screen.getByRole('row', { name: /checkout 42 % utilization 0.97 utilization 0.8 3/ })).toBeTruthy();
    expect(screen.getByRole('row', { name: /all 0 % .* none; nothing is dropped/ })).toBeTruthy();
  });

  const tuned = { rule: 'a', backend: 'search', level: 0.4, kind: 'latency', target: 250, signal: 312, reporters: 2, signalAgeMs: 900, ratePerSecond: 3000 };

  it('are shown as rates if the rate of a rule follows a signal', () => {
    as('read', <TunedRates rates={[tuned]} />);
    expect(screen.getByRole('row', { name: /search .* per second latency 312 ms latency 250 ms 2/ })).toBeTruthy();
  });

  it('are drawn with their signal in one chart', () => {
    const series = [{ backend: 'search', at: [1_000, 6_000], value: [5000, 3000], signal: [null, 312] }];
    as('read', <LoadChart series={series} levels={[tuned]} rates />);
    expect(screen.getByText('The rate is 3,000 per second; the signal is 312 ms.')).toBeTruthy();
  });

  it('are listed with the reason of each change', () => {
    const event = { at: 1_000, rule: 'a', backend: 'search', change: 'rate' as const, before: 5000, after: 3000, reason: 'latency 312.0 ms is above its target of 250.0 ms', shadow: true };
    as('read', <LoadEvents events={[event, { ...event, at: 500, change: 'shedding', before: 0, after: 0.2 }]} now={2_000} showRule />);
    expect(screen.getByRole('row', { name: /a search 5,000 → 3,000 per second shadow latency 312.0 ms is above its target/ })).toBeTruthy();
    expect(screen.getByRole('row', { name: /would begin to drop requests/ })).toBeTruthy();
  });
});
