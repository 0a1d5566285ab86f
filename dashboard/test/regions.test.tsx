import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Region, Regions } from '../src/api/types';
import { Header } from '../src/app/Header';
import { RegionsPage } from '../src/pages/regions/RegionsPage';
import { cellOf, homeText, rulesOf, stateOf } from '../src/pages/regions/regionTexts';
import { json, network, problem } from './setup';
import { as, live } from './show';
import { stats } from './stats';

const region = (name: string, part: Partial<Region> = {}): Region => ({
  name,
  silent: false,
  instances: 2,
  ageMs: 900,
  revision: 12,
  roundTripMs: 81,
  rules: [{ rule: 'per-user', counters: 3, held: 40, demandPerSecond: 12 }],
  ...part,
});

const regions = (part: Partial<Regions> = {}): Regions => ({
  name: 'eu',
  leaseMs: 30_000,
  home: { address: '10.0.0.1:6379', ready: true, roundTripMs: 81, requests: 10, errors: 0, seenMsAgo: 500 },
  regions: [region('eu'), region('us', { rules: [{ rule: 'search', counters: 1, held: 1200, demandPerSecond: 300 }] })],
  ...part,
});

const serve = (value: Regions | undefined) => network(() => json(200, { store: { kind: 'redis', region: value } }));

describe('the page of regions', () => {
  it('shows home, the state of each region and a matrix of shares', async () => {
    serve(regions({ regions: [region('eu'), region('us', { silent: true, ageMs: 40_000, instances: 0 })] }));
    as('read', <RegionsPage />);
    await screen.findByText('Home grants shares');
    expect(screen.getByText('10.0.0.1:6379, 81 ms away')).toBeTruthy();
    expect(screen.getByText('silent for 40 s')).toBeTruthy();
    expect(screen.getByText('40 s ago')).toBeTruthy();
    expect(screen.getByText('eu (this instance)')).toBeTruthy();
    const matrix = screen.getByRole('table', { name: /holds/ });
    expect(within(matrix).getAllByText('40 · 12.0/s')).toHaveLength(2);
  });

  it('names the problem of home', async () => {
    serve(regions({ home: { ...regions().home, ready: false, problem: 'home may have lost shares' } }));
    as('read', <RegionsPage />);
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('home may have lost shares');
  });

  it('says so if there are no regions, and shows an error of the service', async () => {
    serve(undefined);
    const { unmount } = as('read', <RegionsPage />);
    await screen.findByText('No regions');
    unmount();
    network(() => problem(500, 'it failed'));
    as('read', <RegionsPage />);
    await screen.findByText(/it failed/i);
  });

  it('is linked only if the instance has a region', () => {
    const { unmount } = as('read', <Header place="" />);
    expect(screen.queryByText('Regions')).toBeNull();
    unmount();
    as('read', <Header place="" />, { ...live, stats: { ...stats(), store: { ...stats().store, region: 'eu' } } });
    expect(screen.getByText('Regions')).toBeTruthy();
  });
});

describe('the texts of regions', () => {
  it('tell a lagging region', () => {
    const all = [region('eu'), region('us', { revision: 11 })];
    expect(stateOf(all[1]!, all)).toEqual({ tone: 'warning', text: '1 revision behind' });
    expect(stateOf(all[0]!, all).tone).toBe('good');
  });

  it('order rules by demand and show a region without a share', () => {
    const { regions: all } = regions();
    expect(rulesOf(all)).toEqual(['search', 'per-user']);
    expect(cellOf(all[0]!, 'search')).toBe('–');
    expect(cellOf(all[1]!, 'search')).toBe('1,200 · 300/s');
  });

  it('describe a home that is ready', () => {
    expect(homeText(regions()).tone).toBe('good');
  });
});
