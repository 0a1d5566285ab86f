// The setup of a simulation: traffic, limit and algorithms. It is encoded in the URL so that it can
// be shared.

export const KINDS = ['steady', 'bursts', 'edges', 'ramp', 'random', 'drawn', 'times', 'recent', 'tenants'] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_NAMES: Record<Kind, string> = {
  steady: 'Steady',
  bursts: 'Bursts',
  edges: 'Window boundaries',
  ramp: 'Ramp',
  random: 'Random',
  drawn: 'Drawn',
  times: 'Typed',
  recent: 'Recent',
  tenants: 'Tenants',
};

export const KIND_SENTENCES: Record<Kind, string> = {
  steady: 'A constant rate with equal gaps.',
  bursts: 'Bursts at a fixed interval, like a scheduled job.',
  edges: 'A burst just before each window ends and another just after, the worst case of fixed windows.',
  ramp: 'A rate that rises linearly from zero.',
  random: 'Independent random arrivals (a Poisson process).',
  drawn: 'The rate you draw below.',
  times: 'At the times you enter, in milliseconds.',
  recent: 'The recent traffic of this instance, as if from a single caller.',
  tenants: 'One loud tenant beside nine quiet ones of 5 requests per second each. All share one limit.',
};

export const DURATION_S = 60;

export interface Setup {
  kind: Kind;
  perSecond: number;
  burst: number;
  everyS: number;
  drawn: number[];
  times: string;
  seed: number;
  count: number;
  windowS: number;
  allowance: number;
  algorithms: string[];
}

export const WINDOWS = [1, 5, 10, 20, 30, 60];

interface Algorithm {
  name: string;
  sentence: string;
  limit: (setup: Setup) => Record<string, unknown>;
}

const rateOf = ({ count, windowS }: Setup) => `${count}/${windowS}s`;

export const ALGORITHMS: Record<string, Algorithm> = {
  'token-bucket': {
    name: 'Token bucket',
    sentence: 'Unused permits accumulate up to the burst and refill evenly. A burst passes until the bucket is empty.',
    limit: (s) => ({ algorithm: 'token-bucket', rate: rateOf(s), burst: s.allowance }),
  },
  'fair-share': {
    name: 'Token bucket, shared fairly',
    sentence: 'Each tenant gets its share of the rate when it needs it; what it leaves is lent to the others.',
    limit: (s) => ({ algorithm: 'token-bucket', rate: rateOf(s), burst: s.allowance, fair: { among: 'tenant' } }),
  },
  'leaky-queue': {
    name: 'Leaky bucket, queue',
    sentence: 'Admits requests at a constant rate. Early requests wait in a queue, and are denied when the queue is full.',
    limit: (s) => ({ algorithm: 'leaky-bucket', rate: rateOf(s), queue: s.allowance }),
  },
  'leaky-reject': {
    name: 'Leaky bucket, no queue',
    sentence: 'Admits requests at a constant rate, without a queue: early requests are denied.',
    limit: (s) => ({ algorithm: 'leaky-bucket', rate: rateOf(s), mode: 'reject' }),
  },
  'fixed-window': {
    name: 'Fixed window',
    sentence: 'Counts per clock-aligned window and restarts with each one. Around a boundary, twice the limit can pass.',
    limit: (s) => ({ algorithm: 'fixed-window', rate: rateOf(s) }),
  },
  'sliding-window': {
    name: 'Sliding window',
    sentence: 'Ten sub-window counts, the oldest weighted by its age: nearly exact, and small.',
    limit: (s) => ({ algorithm: 'sliding-window', rate: rateOf(s) }),
  },
  'sliding-conservative': {
    name: 'Sliding, conservative',
    sentence: 'Counts the oldest sub-window in full: never above the limit in any window, sometimes slightly below.',
    limit: (s) => ({ algorithm: 'sliding-window', rate: rateOf(s), bound: 'conservative' }),
  },
  'rolling-window': {
    name: 'Rolling window',
    sentence: 'Stores the time of each request: exactly the limit in any window, at the highest memory cost.',
    limit: (s) => ({ algorithm: 'rolling-window', rate: rateOf(s) }),
  },
};

const QUIET_TENANTS = 9;
const QUIET_RATE = 5;

/** The changes that choosing the traffic of several tenants makes to a setup. */
export const LOUD_TENANT: Partial<Setup> = {
  kind: 'tenants',
  perSecond: 200,
  count: 100,
  windowS: 1,
  allowance: 100,
  algorithms: ['token-bucket', 'fair-share'],
};

const hill = (i: number) => Math.round(Math.max(0, 4 + 22 * Math.exp(-((i - 14) ** 2) / 18) + 40 * Math.exp(-((i - 40) ** 2) / 6)));

export const DEFAULT: Setup = {
  kind: 'edges',
  perSecond: 4,
  burst: 100,
  everyS: 10,
  drawn: Array.from({ length: DURATION_S }, (_, i) => hill(i)),
  times: '0 10 20 5000 9990 9995 10000 10005 20000',
  seed: 7,
  count: 100,
  windowS: 10,
  allowance: 50,
  algorithms: ['token-bucket', 'leaky-queue', 'fixed-window', 'sliding-window', 'rolling-window'],
};

const times = (text: string) =>
  text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map(Number);

/** Returns the problem with entered times, or null. */
export function timesProblem(text: string): string | null {
  const all = times(text);
  const bad = all.findIndex((t) => !Number.isInteger(t) || t < 0 || t >= DURATION_S * 1000);
  if (bad >= 0) return `“${text.split(/[\s,;]+/).filter(Boolean)[bad]}” is not a whole number from 0 to ${DURATION_S * 1000 - 1}.`;
  return all.length === 0 ? 'Enter at least one time, such as 0 500 1000.' : null;
}

function traffic(s: Setup): Record<string, unknown> {
  switch (s.kind) {
    case 'steady':
    case 'ramp':
      return { kind: s.kind, perSecond: s.perSecond };
    case 'random':
      return { kind: s.kind, perSecond: s.perSecond, seed: s.seed };
    case 'bursts':
    case 'edges':
      return { kind: s.kind, burst: s.burst, everyMs: s.everyS * 1000, perSecond: s.perSecond };
    case 'drawn':
      return { kind: s.kind, drawn: s.drawn };
    case 'times':
      return { kind: s.kind, times: times(s.times).sort((a, b) => a - b) };
    case 'recent':
      return { kind: s.kind };
    case 'tenants':
      return { kind: s.kind, rates: [s.perSecond, ...Array<number>(QUIET_TENANTS).fill(QUIET_RATE)] };
  }
}

export const requestOf = (s: Setup) => ({
  durationMs: DURATION_S * 1000,
  traffic: traffic(s),
  limits: s.algorithms.map((id) => ({ name: id, limit: ALGORITHMS[id]!.limit(s) })),
});

/** Encodes only values that differ from the default, to keep the URL short. */
export function toQuery(s: Setup): Record<string, string> {
  const all: Record<string, [string, string]> = {
    traffic: [s.kind, DEFAULT.kind],
    rate: [String(s.perSecond), String(DEFAULT.perSecond)],
    burst: [String(s.burst), String(DEFAULT.burst)],
    every: [String(s.everyS), String(DEFAULT.everyS)],
    seed: [String(s.seed), String(DEFAULT.seed)],
    limit: [String(s.count), String(DEFAULT.count)],
    window: [String(s.windowS), String(DEFAULT.windowS)],
    allowance: [String(s.allowance), String(DEFAULT.allowance)],
    algorithms: [s.algorithms.join(' '), DEFAULT.algorithms.join(' ')],
    drawn: s.kind === 'drawn' ? [s.drawn.join('.'), DEFAULT.drawn.join('.')] : ['', ''],
    times: s.kind === 'times' ? [s.times, DEFAULT.times] : ['', ''],
  };
  return Object.fromEntries(Object.entries(all).flatMap(([name, [value, usual]]) => (value === usual ? [] : [[name, value]])));
}

export function fromQuery(query: URLSearchParams): Setup {
  const number = (name: string, usual: number, least: number, most: number) => {
    const value = Number(query.get(name) ?? usual);
    return Number.isFinite(value) ? Math.min(most, Math.max(least, Math.round(value))) : usual;
  };
  const kind = KINDS.find((known) => known === query.get('traffic')) ?? DEFAULT.kind;
  const chosen = query.get('algorithms')?.split(' ').filter((id) => id in ALGORITHMS);
  const drawn = query.get('drawn')?.split('.').map(Number);
  return {
    kind,
    perSecond: number('rate', DEFAULT.perSecond, 0, 200),
    burst: number('burst', DEFAULT.burst, 1, 500),
    everyS: number('every', DEFAULT.everyS, 1, 30),
    seed: number('seed', DEFAULT.seed, 0, 1_000_000),
    count: number('limit', DEFAULT.count, 1, 500),
    windowS: number('window', DEFAULT.windowS, 1, 60),
    allowance: number('allowance', DEFAULT.allowance, 1, 500),
    algorithms: chosen && chosen.length > 0 ? chosen : DEFAULT.algorithms,
    drawn: drawn?.length === DURATION_S && drawn.every((n) => Number.isInteger(n) && n >= 0 && n <= 1000) ? drawn : DEFAULT.drawn,
    times: query.get('times') ?? DEFAULT.times,
  };
}
