import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Problem } from '../src/api/problem';
import { session } from '../src/api/session';
import type { Stats } from '../src/api/types';
import { AccountGate } from '../src/app/account';
import { PageBoundary } from '../src/app/PageBoundary';
import { applyTheme, chooseTheme } from '../src/app/theme';
import { applyEvent } from '../src/live/live';
import { CallersPage } from '../src/pages/callers/CallersPage';
import { ExplainPage } from '../src/pages/callers/ExplainPage';
import { OverviewPage } from '../src/pages/overview/OverviewPage';
import { DrawTraffic } from '../src/pages/playground/DrawTraffic';
import { PlaygroundPage } from '../src/pages/playground/PlaygroundPage';
import { HistoryPage } from '../src/pages/rules/HistoryPage';
import { EditRulePage } from '../src/pages/rules/EditRulePage';
import { RulesPage } from '../src/pages/rules/RulesPage';
import { WhatIfPage } from '../src/pages/whatif/WhatIfPage';
import { json, network, problem, type Sent } from './setup';
import { around, as, change, editor, editorShows, live, revision, RULE, withDialogs } from './show';
import { stats } from './stats';

// A canvas is what happy-dom has not.
vi.mock('../src/ui/Chart', () => ({ Chart: ({ summary }: { summary: string }) => <p>{summary}</p> }));

beforeAll(withDialogs);

describe('signing in', () => {
  const guarded = (sent: Sent) => {
    const shown = sent.headers.get('Authorization');
    const role = shown === 'Bearer right' ? 'admin' : shown === 'Bearer little' ? 'check' : 'none';
    return sent.path === '/v1/whoami' ? json(200, { role, guarded: true, name: null }) : undefined;
  };
  const show = (token: string) => {
    fireEvent.change(screen.getByLabelText('Token'), { target: { value: token } });
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  };

  it('is required by a guarded service, and stores the token in this tab only', async () => {
    network(guarded);
    render(<AccountGate>inside</AccountGate>);
    await screen.findByLabelText('Token');
    show('wrong');
    await screen.findByText('Unknown token');
    show('little');
    await screen.findByText('This token may only send checks');
    show('right');
    await screen.findByText('inside');
    expect(session.token()).toBe('right');
    expect(localStorage.length).toBe(0);
    act(() => session.signOut());
    await screen.findByLabelText('Token');
  });

  it('rejects a token that a browser cannot send', async () => {
    network(guarded);
    render(<AccountGate>inside</AccountGate>);
    await screen.findByLabelText('Token');
    show('gehe\u00a0im→');
    await screen.findByText("Not a valid token");
    expect(session.token()).toBeNull();
    show('right');
    await screen.findByText('inside');
  });

  it('is required after signing out, and hides everything while the service is unavailable', async () => {
    session.signIn('right');
    network(guarded);
    render(<AccountGate>inside</AccountGate>);
    await screen.findByText('inside');
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    act(() => session.signOut());
    expect(screen.queryByText('inside')).toBeNull();
    await screen.findByText('No response');
  });

  it('is not required by an open service', async () => {
    network(() => json(200, { role: 'admin', guarded: false, name: null }));
    render(<AccountGate>inside</AccountGate>);
    await screen.findByText('inside');
  });
});

describe('the overview', () => {
  it('shows the status, the statistics and text alternatives of the charts', () => {
    as('read', <OverviewPage />);
    expect(screen.getByText('All systems normal: 124 checks per second, 2.6 % denied')).toBeTruthy();
    expect(screen.getByText(/Now 121 allowed and 3.2 denied/)).toBeTruthy();
    expect(screen.getByText('No anomalies within the last hour')).toBeTruthy();
  });

  it('marks statistics as outdated while disconnected', () => {
    as('read', <OverviewPage />, { ...live, line: 'reconnecting' });
    expect(screen.getByText(/Reconnecting; the statistics are from/)).toBeTruthy();
  });

  it('reports no state of a service that cannot be reached', () => {
    const shown = as('read', <OverviewPage />, { ...live, line: 'reconnecting', problem: Problem.of(new TypeError('Failed to fetch')) });
    expect(screen.getByText(/Cannot reach the service/)).toBeTruthy();
    expect(screen.queryByText(/All systems normal/)).toBeNull();
    expect(document.querySelector('.headline .said')?.textContent).toBe('The present state is unknown: the service does not report');
    shown.rerender(around('read', <OverviewPage />, live));
    expect(document.querySelector('.headline .said')?.textContent).toContain('All systems normal');
  });

  it('does not report a reconnect before the first connection', () => {
    as('read', <OverviewPage />, { ...live, line: 'connecting' });
    expect(screen.queryByText(/Reconnecting/)).toBeNull();
  });

  it('labels statistics as local when there are several instances', () => {
    as('read', <OverviewPage />);
    expect(screen.getByText(/cover this instance, one of 2/)).toBeTruthy();
    expect(screen.getByText('Per second, over the last ten seconds, this instance')).toBeTruthy();
    cleanup();
    as('read', <OverviewPage />, { ...live, stats: { ...stats(), instances: 1 } });
    expect(screen.queryByText(/cover this instance/)).toBeNull();
  });

  it('warns of instances with different layouts of keys', () => {
    const withLayouts = (separate: number, compact: number) => {
      const all = stats();
      as('read', <OverviewPage />, { ...live, stats: { ...all, store: { ...all.store, layouts: { separate, compact } } } });
    };
    withLayouts(0, 2);
    expect(screen.queryByText(/different layouts/)).toBeNull();
    cleanup();
    withLayouts(1, 2);
    expect(screen.getByText('Instances have different layouts of keys: 1 separate, 2 compact')).toBeTruthy();
  });

  it('announces a change of state, but not every update', () => {
    const shown = as('read', <OverviewPage />);
    const heardNow = () => document.querySelector('.headline [role=status]')?.textContent;
    const next = (part: Partial<Stats>) => shown.rerender(around('read', <OverviewPage />, { ...live, stats: { ...stats(), ...part } }));
    next({ rates: { ...stats().rates, allowed: 999 } });
    expect(heardNow()).toBe('');
    next({ store: { ...stats().store, unavailable: true } });
    expect(heardNow()).toBe('The store is unavailable: failure policies decide');
    expect(document.querySelector('[aria-live]')).toBeNull();
    expect(document.querySelector('output')).toBeNull();
  });

  it('waits for the first statistics', () => {
    as('read', <OverviewPage />, { ...live, stats: null });
    expect(screen.getByText('Loading the statistics…')).toBeTruthy();
  });

  it('applies events of the stream', () => {
    const { series: _, ...next } = { ...stats(), instances: 9, series: null };
    const data = JSON.stringify({ ...next, tick: { at: 5000, allowed: 1, denied: 0, shadowDenied: 0, degraded: 0, delayed: 0, unmatched: 0, p50: 1, p99: 2 } });
    const after = applyEvent(live, 'stats', data);
    expect(after.stats?.instances).toBe(9);
    expect(after.history.at).toEqual([5]);
    expect(applyEvent(live, 'rules', '{}').rulesChanged).toBe(1);
    expect(applyEvent(live, 'other', '')).toBe(live);
  });
});

describe('the rules', () => {
  it('are searched for by the service and shown with their rates', async () => {
    const sent = network(({ path, query }) => (path === '/v1/rules' ? json(200, { revision: 7, total: 1, rules: query.get('search') === 'ip' ? [RULE] : [{ ...RULE, id: 'per-user' }] }) : undefined));
    as('admin', <RulesPage />);
    const row = (await screen.findByRole('link', { name: 'per-user' })).closest('tr')!;
    expect(within(row).getByText('12.1')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('Search rules'), { target: { value: 'ip' } });
    await screen.findByRole('link', { name: 'per-ip' });
    expect(sent.findLast(({ path }) => path === '/v1/rules')?.query.get('search')).toBe('ip');
  });

  it('load the next page once, however often it is requested', async () => {
    network(({ path, query }) => (path !== '/v1/rules' ? undefined : query.get('after') === 'a' ? json(200, { revision: 7, total: 2, rules: [{ ...RULE, id: 'b' }] }) : json(200, { revision: 7, total: 2, next: 'a', rules: [{ ...RULE, id: 'a' }] })));
    as('read', <RulesPage />);
    const more = await screen.findByRole('button', { name: 'Show more' });
    fireEvent.click(more);
    fireEvent.click(more);
    await screen.findByRole('link', { name: 'b' });
    expect(screen.queryByRole('link', { name: 'New rule' })).toBeNull();
  });

  it('report an empty list and a failure to load', async () => {
    network(() => json(200, { revision: 1, total: 0, rules: [] }));
    as('admin', <RulesPage />).unmount();
    network(() => problem(503, 'the database is unavailable'));
    as('admin', <RulesPage />);
    await screen.findByText('The database is unavailable.');
  });

  it('are marked as outdated after a failed reload', async () => {
    network(({ path }) => (path === '/v1/rules' ? json(200, { revision: 7, total: 1, rules: [RULE] }) : undefined));
    const shown = as('admin', <RulesPage />);
    await screen.findByRole('link', { name: 'per-ip' });
    network(() => problem(503, 'the database is unavailable'));
    shown.rerender(around('admin', <RulesPage />, { ...live, rulesChanged: 1 }));
    await screen.findByText(/rules of revision 7, which may be outdated/);
    expect(screen.getByRole('link', { name: 'per-ip' })).toBeTruthy();
  });
});

describe('a rule', () => {
  const edit = (text: string) => fireEvent.change(screen.getByLabelText('YAML or JSON'), { target: { value: text } });
  const service = (put: (sent: Sent) => Response) => (sent: Sent) => {
    if (sent.method === 'PUT') return put(sent);
    if (sent.path === '/v1/rules/per-ip') return json(200, RULE, { ETag: '"7"' });
    if (sent.path === '/v1/rules') return json(200, { revision: 7, total: 1, rules: [RULE] });
    return sent.path.startsWith('/v1/revisions/') ? json(200, { revision: revision(8, { message: 'theirs' }), diff: change().diff }) : undefined;
  };

  it('is validated while it is edited, and saved on the validated revision', async () => {
    const sent = network(service(({ query }) => json(200, query.has('dry-run') ? change({ dryRun: true, callers: { sampled: 3, affected: 1, note: '', list: [{ subject: { ip: '10.0.0.1' }, rules: [{ id: 'per-ip', change: 'changed', fields: [] }] }] } }) : change({ revision: revision(8) }), { ETag: '"8"' })));
    as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/sliding-window/);
    expect((screen.getByRole('button', { name: 'Save' }) as HTMLButtonElement).disabled).toBe(true);
    edit('id: per-ip\nlimit: { algorithm: sliding-window, rate: 600/1m }');
    await screen.findByText('600/1m', { selector: 'ins' });
    expect(screen.getByText('ip=10.0.0.1')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('Reason'), { target: { value: 'more room' } });
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Saved: revision 8 is in force');
    const saved = sent.find(({ method, query }) => method === 'PUT' && !query.has('dry-run'));
    expect(saved?.headers.get('If-Match')).toBe('"7"');
    expect(saved?.headers.get('X-Headgate-Message')).toBe('more%20room');
  });

  it('shows the service\'s error at its line', async () => {
    network(service(() => problem(400, 'not valid', { problems: [{ line: 2, column: 21, field: 'limit.algorithm', message: "'token-buket' is not known; did you mean token-bucket?" }] })));
    as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/sliding-window/);
    edit('id: per-ip\nlimit: { algorithm: token-buket }');
    await screen.findByText(/did you mean token-bucket/);
    fireEvent.click(screen.getByRole('button', { name: 'Line 2:21' }));
    const area = screen.getByLabelText('YAML or JSON') as HTMLTextAreaElement;
    expect(area.selectionStart).toBe('id: per-ip\n'.length + 20);
    expect(area.getAttribute('aria-invalid')).toBe('true');
    expect(document.querySelector('.gutter .bad')?.textContent).toBe('2');
    expect((screen.getByRole('button', { name: 'Save' }) as HTMLButtonElement).disabled).toBe(true);
  });

  it('with a concurrent change offers a resolution', async () => {
    let theirs = RULE;
    let at = 7;
    network((sent) => {
      if (sent.path === '/v1/rules/per-ip' && sent.method === 'GET') return json(200, theirs, { ETag: `"${at}"` });
      return service(({ headers }) => (headers.get('If-Match') === `"${at}"` ? json(200, change({ revision: revision(at) })) : problem(412, 'stale', { field: 'If-Match' })))(sent);
    });
    as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/300/);
    theirs = { ...RULE, limit: { algorithm: 'sliding-window', rate: '450/1m' } };
    at = 8;
    edit('id: per-ip\nlimit: { algorithm: sliding-window, rate: 600/1m }');
    await screen.findByText('This rule was changed by another user');
    expect(screen.getByText(/ada saved revision 8/)).toBeTruthy();
    expect(screen.getByText(/450\/1m/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Keep my changes and compare' }));
    await screen.findByText('Valid, checked against revision 8.');
    expect(editor().value).toContain('600');
  });

  it('retries when only other rules were changed', async () => {
    let at = 7;
    network((sent) => {
      if (sent.path === '/v1/rules/per-ip' && sent.method === 'GET') return json(200, RULE, { ETag: `"${at}"` });
      return service(({ headers }) => (headers.get('If-Match') === `"${at}"` ? json(200, change({ revision: revision(at) })) : problem(412, 'stale')))(sent);
    });
    as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/300/);
    at = 9;
    edit('id: per-ip\nlimit: { algorithm: sliding-window, rate: 600/1m }');
    await screen.findByText('Valid, checked against revision 9.');
  });

  it('is read-only with a read token', async () => {
    network(service(() => problem(403, 'no')));
    as('read', <EditRulePage id="per-ip" />);
    const area = (await screen.findByLabelText('The rule', { selector: 'textarea' })) as HTMLTextAreaElement;
    await waitFor(() => expect(area.value).toContain('sliding-window'));
    expect(area.readOnly).toBe(true);
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  });

  it('warns before a new rule replaces an existing one', async () => {
    network(service(() => json(200, change())));
    as('admin', <EditRulePage id={null} />);
    await editorShows(/my-rule/);
    edit('id: per-ip\nlimit: {}');
    await screen.findByText('A rule per-ip already exists');
  });
});

describe('the history', () => {
  it('shows changes, and restores a revision after a preview', async () => {
    const sent = network(({ path, method, query }) => {
      if (path === '/v1/revisions') return json(200, { revisions: [revision(2, { message: 'a faster database' }), revision(1)] });
      if (method === 'POST') return json(200, change({ revision: revision(query.has('dry-run') ? 2 : 3) }), { ETag: query.has('dry-run') ? '"2"' : '"3"' });
      return json(200, { revision: revision(2), diff: change().diff });
    });
    as('admin', <HistoryPage />);
    await screen.findByText('a faster database');
    fireEvent.click(screen.getByRole('button', { name: /^2/ }));
    await screen.findByText('600/1m');
    fireEvent.click(screen.getByRole('button', { name: 'Restore…' }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText('600/1m');
    fireEvent.click(within(dialog).getByRole('button', { name: 'Restore revision 1' }));
    await screen.findByText('Revision 3 is in force');
    const restored = sent.filter(({ path }) => path === '/v1/revisions/1/restore');
    expect(restored.map(({ query, headers }) => [query.has('dry-run'), headers.get('If-Match')])).toEqual([[true, null], [false, '"2"']]);
  });
});

describe('callers', () => {
  const caller = { caller: 'user:42', subject: { key: 'user:42' }, allowed: 1200, denied: 30, perSecond: 12.1, deniedPerSecond: 0.4, burstRatio: 3.2, since: 0, last: 0, error: 2, rules: ['per-user'] };

  it('are sorted by the service', async () => {
    const sent = network(() => json(200, { now: 0, windowMs: 600_000, tracked: 1000, error: 0.001, instances: 3, callers: [caller] }));
    as('read', <CallersPage />);
    await screen.findByRole('link', { name: 'user:42' });
    fireEvent.click(screen.getByRole('button', { name: 'Burst' }));
    await waitFor(() => expect(sent.at(-1)?.query.get('sort')).toBe('burst'));
    expect(screen.getByRole('columnheader', { name: 'Burst' }).getAttribute('aria-sort')).toBe('descending');
  });

  it('are explained, and reset only after a confirmation', async () => {
    const rule = { id: 'login', applies: true, reason: 'path /login matches', mode: 'enforce', override: null, remaining: 0, conditions: [], limits: [{ rule: 'login', name: 'login', algorithm: 'rolling-window', limit: 5, remaining: 0, resetAfterMs: 1000 }] };
    const sent = network(({ path }) => (path === '/v1/explain' ? json(200, { subject: {}, rules: [rule], notApplying: 0, nearMisses: [] }) : json(200, { reset: true, rule: 'login' })));
    as('admin', <ExplainPage query={new URLSearchParams('subject=path=/login')} />);
    await screen.findAllByText(/Limited by login: 0 of 5 left/);
    fireEvent.click(screen.getByRole('button', { name: 'Reset…' }));
    expect(sent.some(({ path }) => path === '/v1/reset')).toBe(false);
    fireEvent.click(await screen.findByRole('button', { name: 'Reset the counter' }));
    await screen.findByText('The counter of login was reset');
    expect(JSON.parse(sent.find(({ path }) => path === '/v1/reset')!.body)).toEqual({ subject: { path: '/login' }, rule: 'login' });
  });
});

describe('the playground', () => {
  const trial = { durationMs: 60_000, stepMs: 30_000, offered: [100, 100], requests: 200, truncated: false, notes: ['a limit of the result'], results: [{ name: 'fixed-window', algorithm: 'fixed-window', admitted: [100, 100], denied: [0, 0], delayed: [0, 0], totals: { admitted: 200, denied: 0, delayed: 0 }, maxInWindow: { windowMs: 10_000, admitted: 200, limit: 100 }, delay: null, stateBytes: 16, queue: [0, 0], first: [] }] };

  it('simulates again when a slider moves, and updates the URL', async () => {
    const sent = network(() => json(200, trial));
    as('read', <PlaygroundPage query={new URLSearchParams()} />);
    await screen.findByText('2.0× the limit');
    expect(screen.getByText('Note: a limit of the result.')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('Limit'), { target: { value: '50' } });
    await waitFor(() => expect(sent.at(-1)?.body).toContain('"rate":"50/10s"'));
    await waitFor(() => expect(window.location.hash).toContain('limit=50'));
  });

  it('can be drawn with the keyboard', () => {
    const drawn = vi.fn();
    render(<DrawTraffic values={Array(60).fill(0)} onChange={drawn} />);
    const canvas = screen.getByRole('slider');
    fireEvent.keyDown(canvas, { key: 'ArrowRight' });
    fireEvent.keyDown(canvas, { key: 'ArrowUp', shiftKey: true });
    expect(drawn.mock.lastCall?.[0].slice(0, 3)).toEqual([0, 10, 0]);
  });
});

describe('a simulation', () => {
  it('replays the changed rule and lists affected callers', async () => {
    const sent = network(({ path }) => {
      if (path === '/v1/rules') return json(200, { revision: 7, total: 1, rules: [RULE] });
      if (path === '/v1/rules/per-ip') return json(200, RULE, { ETag: '"7"' });
      return json(200, { source: { kind: 'recent', from: 0, to: 1000, requests: 10, replayed: 10, weight: 1, unreadable: 0, samples: [], notes: ['no line has ip, which the rules use'] }, before: { allowed: 10, denied: 0, delayed: 0 }, after: { allowed: 5, denied: 5, delayed: 0 }, changedToDenied: 5, changedToAllowed: 0, series: { from: 0, stepMs: 1000, offered: [10], deniedBefore: [0], deniedAfter: [5] }, byRule: [{ rule: 'per-ip', requestsBefore: 10, requestsAfter: 10, deniedBefore: 0, deniedAfter: 5 }], callers: [{ caller: '10.0.0.1', requests: 10, deniedBefore: 0, deniedAfter: 5, firstDeniedAt: 500 }] });
    });
    as('read', <WhatIfPage query={new URLSearchParams('rule=per-ip')} />);
    await editorShows(/sliding-window/);
    fireEvent.change(screen.getByLabelText('The proposed rule'), { target: { value: 'id: per-ip' } });
    fireEvent.click(screen.getByRole('button', { name: 'Replay' }));
    await screen.findByText('Of 10 requests, 5 would change from allowed to denied (50 %).');
    expect(screen.getByRole('link', { name: '10.0.0.1' })).toBeTruthy();
    expect(screen.getByText('no line has ip, which the rules use')).toBeTruthy();
    expect(JSON.parse(sent.at(-1)!.body)).toEqual({ rules: 'id: per-ip', replace: 'per-ip', source: { kind: 'recent' } });
  });
});

describe('a simulation whose rule cannot be loaded', () => {
  it('reports it and retries', async () => {
    let there = false;
    network(({ path }) => (path === '/v1/rules' ? json(200, { revision: 7, total: 0, rules: [] }) : there ? json(200, RULE) : problem(503, 'the database is unavailable')));
    as('read', <WhatIfPage query={new URLSearchParams('rule=per-ip')} />);
    await screen.findByText('The database is unavailable.');
    there = true;
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await editorShows(/sliding-window/);
  });
});

describe('a page that fails', () => {
  it('reports the failure and does not affect other pages', () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const Broken = (): never => {
      throw new TypeError('it is null');
    };
    render(
      <>
        <nav>elsewhere</nav>
        <PageBoundary name="Callers">
          <Broken />
        </PageBoundary>
      </>,
    );
    expect(screen.getByText("Callers can't be shown")).toBeTruthy();
    expect(screen.getByText('TypeError: it is null.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy();
    expect(screen.getByText('elsewhere')).toBeTruthy();
  });
});

describe('the theme', () => {
  it('is remembered', () => {
    chooseTheme('dark');
    expect(document.documentElement.dataset['theme']).toBe('dark');
    delete document.documentElement.dataset['theme'];
    applyTheme();
    expect(document.documentElement.dataset['theme']).toBe('dark');
  });
});
