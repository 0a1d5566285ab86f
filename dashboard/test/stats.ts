import type { Stats } from '../src/api/types';

/** Statistics of a service in normal operation. */
export const stats = (): Stats => ({
  now: 1_789_300_800_000,
  instance: 'a1b2c3',
  startedAt: 1_789_300_000_000,
  version: 'test',
  instances: 2,
  store: {
    kind: 'redis',
    address: null,
    unavailable: false,
    since: null,
    problem: null,
    failurePolicies: [],
    decidedByPolicy: 0,
    allowedUncounted: 0,
    trackedKeys: null,
    breaker: 'closed',
  },
  rules: { count: 6, revision: 12, source: 'database', problem: null, ignoredFile: null },
  rates: { allowed: 120.5, denied: 3.2, shadowDenied: 0, degraded: 0, delayed: 0, unmatched: 6 },
  totals: { allowed: 1000, denied: 10, shadowDenied: 0, degraded: 0, delayed: 0, unmatched: 40 },
  latency: { check: { p50: 12, p90: 20, p99: 55, max: 300 }, store: null },
  byRule: [{ rule: 'per-user', allowed: 12.1, denied: 0.3, shadowDenied: 0, degraded: 0, delayed: 0 }],
  shedding: [],
  tuning: [],
  loadEvents: [],
  hotKeys: [],
  anomalies: [],
});
