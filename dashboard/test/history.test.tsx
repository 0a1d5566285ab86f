import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { HistoryPage } from '../src/pages/rules/HistoryPage';
import { noRevisions, withNewest, withOlder, type Revisions } from '../src/pages/rules/revisions';
import { json, network, problem } from './setup';
import { around, as, live, revision } from './show';

/** Revisions from one number down to another. */
const page = (from: number, to: number): Revisions => ({
  revisions: Array.from({ length: from - to + 1 }, (_, i) => revision(from - i)),
  ...(to > 1 ? { next: to } : {}),
});
const numbers = ({ revisions }: Revisions) => revisions.map(({ number }) => number);

describe('revisions', () => {
  it('have no gap between pages when a new one is added', () => {
    const known = withOlder(withNewest(noRevisions, page(6, 4)), page(3, 2));
    const after = withNewest(known, page(7, 5));
    expect(numbers(after)).toEqual([7, 6, 5, 4, 3, 2]);
    expect(after.next).toBe(2);
    expect(withOlder(after, page(1, 1))).toMatchObject({ revisions: { length: 7 } });
    expect(withOlder(after, page(1, 1)).next).toBeUndefined();
  });

  it('are reloaded when more were added than fit on a page', () => {
    expect(withNewest(page(6, 4), page(20, 18))).toEqual(page(20, 18));
    expect(numbers(withNewest(page(6, 4), page(9, 7)))).toEqual([9, 8, 7, 6, 5, 4]);
  });

  it('stay visible during a reload, even if it fails', async () => {
    network(({ query }) => json(200, query.has('before') ? page(3, 1) : page(6, 4)));
    const shown = as('read', <HistoryPage />);
    fireEvent.click(await screen.findByRole('button', { name: 'Show older' }));
    await screen.findByRole('button', { name: /^1\b/ });
    network(() => problem(503, 'the database is unavailable'));
    shown.rerender(around('read', <HistoryPage />, { ...live, rulesChanged: 1 }));
    expect(screen.getByRole('button', { name: /^1\b/ })).toBeTruthy();
    await screen.findByText('The database is unavailable.');
    network(() => json(200, page(7, 5)));
    shown.rerender(around('read', <HistoryPage />, { ...live, rulesChanged: 2 }));
    await screen.findByRole('button', { name: /^7\b/ });
    await waitFor(() => expect(screen.getAllByRole('button', { name: /show what changed/ })).toHaveLength(7));
  });
});
