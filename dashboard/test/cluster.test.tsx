import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ClusterState } from '../src/api/types';
import { Header } from '../src/app/Header';
import { clusterText, ClusterPage } from '../src/pages/cluster/ClusterPage';
import { json, network, problem } from './setup';
import { as, live } from './show';
import { stats } from './stats';

const member = (id: number, self = false) => ({ id, address: `10.0.0.${id}:7575`, self, owned: 86, backed: 85 });

const whole = (part: Partial<ClusterState> = {}): ClusterState => ({
  majority: true,
  expected: 3,
  partitions: 257,
  unowned: 0,
  unbacked: 0,
  members: [member(1, true), member(2), member(3)],
  unreachable: [],
  ...part,
});

const lost = { id: 3, address: '10.0.0.3:7575', since: '2026-11-17T10:00:00Z' };

const answers = (store: unknown) => network((sent) => (sent.path === '/health/ready' ? json(200, { store }) : undefined));

describe('the cluster page', () => {
  it('lists members with their partitions, and those that cannot be reached', async () => {
    answers({ kind: 'cluster', unavailable: false, cluster: whole({ members: [member(1, true), member(2)], unreachable: [lost] }) });
    as('read', <ClusterPage />);
    const row = (await screen.findByText('10.0.0.1:7575')).closest('tr')!;
    expect(within(row).getByText('this member')).toBeTruthy();
    expect(within(row).getByText('86')).toBeTruthy();
    const gone = screen.getByText('10.0.0.3:7575').closest('tr')!;
    expect(within(gone).getByText(/unreachable since/)).toBeTruthy();
    expect(screen.getByText("2 of 3 members: 1 member can't be reached")).toBeTruthy();
  });

  it.each(['redis', 'memory'])('has no members with the store %s, and names the option', async (kind) => {
    answers({ kind, unavailable: false });
    as('read', <ClusterPage />);
    await screen.findByText('No cluster');
    expect(screen.getByText(/--store cluster/)).toBeTruthy();
  });

  it('reports a member that is joining, and a service that fails', async () => {
    answers({ kind: 'cluster', unavailable: true });
    const { unmount } = as('read', <ClusterPage />);
    await screen.findByText('This member is joining the cluster');
    unmount();
    network(() => problem(503, 'stopping'));
    as('read', <ClusterPage />);
    await screen.findByText('Unavailable');
  });

  it.each([
    [whole(), 'good', 'every partition has an owner and a copy'],
    [whole({ unbacked: 1 }), 'warning', 'rebalancing: 1 partition has no copy'],
    [whole({ unowned: 2, unbacked: 5 }), 'warning', 'rebalancing: 2 partitions have no owner'],
    [whole({ members: [member(1, true)], expected: 1, unbacked: 257 }), 'info', '1 of 1 member: there are no copies'],
    [whole({ members: [member(1, true)], majority: false, unreachable: [lost] }), 'bad', '1 of 3 members: a minority'],
  ])('states what is most urgent (%#)', (cluster, tone, text) => {
    const state = clusterText(cluster);
    expect(state.tone).toBe(tone);
    expect(state.title).toContain(text);
  });

  it('is linked by members of a cluster only', () => {
    const { unmount } = as('read', <Header place="" />);
    expect(screen.queryByRole('link', { name: 'Cluster' })).toBeNull();
    unmount();
    const now = stats();
    as('read', <Header place="cluster" />, { ...live, stats: { ...now, store: { ...now.store, kind: 'cluster' } } });
    expect(screen.getByRole('link', { name: 'Cluster' }).getAttribute('aria-current')).toBe('page');
  });
});
