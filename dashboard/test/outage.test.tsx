import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Explanation, LimitState, Stats } from '../src/api/types';
import { IgnoredFileNotice, outageText, StoreBanner } from '../src/app/StoreBanner';
import { limitSentence, summarize } from '../src/pages/callers/explained';
import { as, live } from './show';
import { stats } from './stats';

const unavailable = (): Stats => ({
  ...stats(),
  store: {
    ...stats().store,
    unavailable: true,
    since: stats().now - 5_000,
    failurePolicies: [
      { policy: 'local', count: 1, rules: ['d'] },
      { policy: 'allow', count: 3, rules: ['a', 'b', 'c'] },
    ],
    decidedByPolicy: 1_234,
    allowedUncounted: 1_000,
  },
});

describe('an outage of the store', () => {
  it('is described with its time zone, the rules of each policy and the decisions', () => {
    const { title, effects } = outageText(unavailable());
    expect(title).toMatch(/^Redis is unavailable since .*\d\d:\d\d:\d\d .+$/);
    expect(effects).toEqual([
      '3 rules (a, b, c) fail open: every request passes, uncounted.',
      '1 rule (d) enforces a local share of its limit.',
      '1,234 requests were decided so, 1,000 of them passed uncounted.',
    ]);
  });

  it('has a banner only while it lasts', () => {
    const { unmount } = as('read', <StoreBanner />);
    expect(screen.queryByRole('alert')).toBeNull();
    unmount();
    as('read', <StoreBanner />, { ...live, stats: unavailable() });
    expect(screen.getByRole('alert').textContent).toContain('3 rules (a, b, c) fail open');
  });

  const limit: LimitState = { rule: 'a', name: 'a', algorithm: 'token-bucket', limit: 200, remaining: null, resetAfterMs: null, onStoreFailure: 'allow' };
  const explained = (state: LimitState): Explanation => ({
    subject: {},
    rules: [{ id: 'a', applies: true, reason: 'applies', mode: 'enforce', override: null, remaining: state.remaining, conditions: [], limits: [state] }],
    notApplying: 0,
    nearMisses: [],
  });

  it('makes the state of a limit unknown, or local', () => {
    expect(limitSentence(limit)).toBe('unknown, the store is unavailable; on-store-failure: allow');
    expect(limitSentence({ ...limit, remaining: 99, resetAfterMs: 0, onStoreFailure: 'local' })).toBe(
      '99 left in the share of this instance (limit 200); the store is unavailable; on-store-failure: local',
    );
    expect(summarize(explained(limit))).toEqual({ limited: false, text: 'Unknown: the store is unavailable, and failure policies decide (a: allow).' });
  });
});

describe('an ignored rule file', () => {
  it('is reported with the ways to use it', () => {
    const ignored = { ...stats(), rules: { ...stats().rules, ignoredFile: 'rules.yaml is ignored; start with --rules-mode file' } };
    as('read', <IgnoredFileNotice />, { ...live, stats: ignored });
    expect(screen.getByRole('status').textContent).toBe('rules.yaml is ignored; start with --rules-mode file.');
  });
});
