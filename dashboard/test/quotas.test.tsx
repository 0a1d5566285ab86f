import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Quotas } from '../src/api/types';
import { Header } from '../src/app/Header';
import { QuotasPage } from '../src/pages/quotas/QuotasPage';
import { as, live } from './show';
import { stats } from './stats';

const quotas: Quotas = {
  streams: 3,
  buckets: 5,
  assigned: 1200,
  reportedAllowed: 90_000,
  reportedDenied: 12,
  clamped: 0,
  unassigned: 0,
  expired: 0,
  rules: [{ rule: 'per-tenant', buckets: 5, assigned: 1200, reportedAllowed: 90_000, reportedDenied: 12, wouldDeny: 7, expired: 0 }],
};

const withQuotas = (part: Partial<Quotas> = {}) => ({ ...live, stats: { ...stats(), quotas: { ...quotas, ...part } } });

describe('the page of quotas', () => {
  it('shows what is assigned and reported for each rule', () => {
    as('read', <QuotasPage />, withQuotas());
    expect(screen.getByText('3 streams and 5 buckets at this instance, 1,200 permits assigned.')).toBeTruthy();
    const row = screen.getByText('per-tenant').closest('tr')!;
    expect(within(row).getAllByRole('cell').map((cell) => cell.textContent)).toEqual(['5', '1,200', '90,000', '12', '7', '0']);
    expect(screen.queryByText(/expired without a report/)).toBeNull();
  });

  it('warns of permits that expired without a report', () => {
    as('read', <QuotasPage />, withQuotas({ expired: 40 }));
    expect(screen.getByText('40 permits expired without a report')).toBeTruthy();
  });

  it('is linked only if a proxy has used quotas, and is empty otherwise', () => {
    const { unmount } = as('read', <Header place="" />);
    expect(screen.queryByText('Envoy')).toBeNull();
    unmount();
    const linked = as('read', <Header place="" />, withQuotas());
    expect(screen.getByText('Envoy')).toBeTruthy();
    linked.unmount();
    as('read', <QuotasPage />);
    expect(screen.getByText('No proxy uses quotas')).toBeTruthy();
  });
});
