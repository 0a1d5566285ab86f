// The types of the API. Times are in epoch milliseconds unless named otherwise.

export type Role = 'admin' | 'read' | 'check' | 'none';

export interface WhoAmI {
  role: Role;
  guarded: boolean;
  name: string | null;
}

export interface Counts {
  allowed: number;
  denied: number;
  shadowDenied: number;
  degraded: number;
  delayed: number;
}

/** Counts of all checks. */
export interface AllCounts extends Counts {
  /** Allowed because no rule applied. */
  unmatched: number;
}

export interface Percentiles {
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

export interface Anomaly {
  id: string;
  kind: 'rate' | 'denials' | 'new-caller' | 'fail-open' | 'breaker' | 'overload';
  severity: 'info' | 'warning' | 'critical';
  since: number;
  until: number | null;
  rule: string | null;
  caller: string | null;
  value: number | null;
  expected: number | null;
  text: string;
}

export interface RuleRates extends Counts {
  rule: string;
}

export interface HotKey {
  rule: string;
  key: string;
  perSecond: number;
  mode: 'strict' | 'leased';
}

export interface Stats {
  now: number;
  instance: string;
  startedAt: number;
  version: string;
  instances: number;
  store: {
    kind: string;
    /** The region of this instance, if it shares limits with others. */
    region?: string;
    /** The number of instances with each layout of keys; only with Redis. */
    layouts?: { separate: number; compact: number };
    address: string | null;
    unavailable: boolean;
    /** When the outage began. */
    since: number | null;
    problem: string | null;
    /** During an outage, the enforced rules by the policy that decides for them. */
    failurePolicies: { policy: FailurePolicy; count: number; rules: string[] }[];
    /** Checks that failure policies decided in this outage. */
    decidedByPolicy: number;
    /** Those of them that were allowed without being counted. */
    allowedUncounted: number;
    trackedKeys: number | null;
    breaker: string | null;
  };
  rules: {
    count: number;
    revision: number | null;
    source: string;
    problem: string | null;
    /** Why the rule file of the instance is not used, and how to use it. */
    ignoredFile: string | null;
  };
  rates: AllCounts;
  totals: AllCounts;
  latency: { check: Percentiles | null; store: Percentiles | null };
  byRule: RuleRates[];
  /** The levels of rules that shed load, those that drop most first. */
  shedding: BackendLevel[];
  /** The rates that follow a signal, the most reduced first. */
  tuning: TunedRate[];
  /** The latest changes because of the load, the newest first. */
  loadEvents: LoadEvent[];
  hotKeys: HotKey[];
  /** The quota assignments of proxies, if any has used them. */
  quotas?: Quotas;
  anomalies: Anomaly[];
}

/** Quota assignments of proxies, and the requests that they have reported since the start. */
export interface Quotas {
  streams: number;
  buckets: number;
  /** Permits that proxies may have spent without a report, or may still spend. */
  assigned: number;
  reportedAllowed: number;
  reportedDenied: number;
  /** Requests in reports beyond what a proxy can have admitted or denied. */
  clamped: number;
  unassigned: number;
  expired: number;
  rules: {
    rule: string;
    buckets: number;
    assigned: number;
    reportedAllowed: number;
    reportedDenied: number;
    /** Reported requests that exceed the limit of a rule in shadow mode. */
    wouldDeny: number;
    expired: number;
  }[];
}

/** The drop level of a backend under a rule. */
export interface Level {
  /** The share of all requests that is dropped. */
  level: number;
  /** The figure that the rule follows, such as latency. */
  kind: string;
  target: number;
  signal: number;
  reporters: number;
  /** The time since the last report; null if there was none. */
  signalAgeMs: number | null;
}

export interface BackendLevel extends Level {
  rule: string;
  backend: string;
}

export interface TunedRate extends BackendLevel {
  ratePerSecond: number;
}

/** A change that a rule made because of the load of a backend. */
export interface LoadEvent {
  at: number;
  rule: string;
  backend: string;
  change: 'rate' | 'shedding';
  before: number;
  after: number;
  reason: string;
  shadow: boolean;
}

/** The level or the rate of a backend and its signal, over time. */
export interface LoadSeries {
  backend: string;
  at: number[];
  value: number[];
  signal: (number | null)[];
}

export interface Series {
  from: number;
  stepMs: number;
  allowed: number[];
  denied: number[];
  shadowDenied: number[];
  degraded: number[];
  p50: (number | null)[];
  p99: (number | null)[];
}

export type Range = '5m' | '1h' | '24h';

/** Counts in buckets of equal length. Those before `startedAt` are 0. */
export interface HistorySeries {
  now: number;
  instance: string;
  startedAt: number;
  range: Range;
  rule: string | null;
  /** Whether the rule has a history of its own, or only one together with others. */
  tracked: boolean;
  from: number;
  stepMs: number;
  /** The part of the last bucket that has passed. */
  lastMs: number;
  allowed: number[];
  denied: number[];
  shadowDenied: number[];
  degraded: number[];
  delayed: number[];
  unmatched?: number[];
}

/** Statistics of one rule, for the list of rules. */
export interface RuleSummary {
  rule: string;
  mode: string;
  lastMinute: Counts;
  lastDenied: number | null;
  changedAt: number | null;
  changedIn: number | null;
}

export interface RuleSummaries {
  now: number;
  instance: string;
  startedAt: number;
  revision: number | null;
  rules: RuleSummary[];
}

export interface RuleFacts {
  now: number;
  instance: string;
  startedAt: number;
  rule: string;
  inForce: boolean;
  mode: string | null;
  tracked: boolean;
  masked: boolean;
  lastMinute: Counts;
  lastHour: Counts;
  lastDay: Counts;
  lastDenied: number | null;
  changedAt: number | null;
  changedIn: number | null;
  onStoreFailure: string | null;
  callers: {
    windowMs: number;
    checks: number;
    denials: number;
    busiest: { caller: string; checks: number; error: number }[];
    denied: { caller: string; denials: number; error: number }[];
  };
  /** The callers that were denied last, each once. */
  denials: {
    caller: string;
    at: number;
    since: number;
    count: number;
    shadow: boolean;
    limit: string;
    retryAfterMs: number | null;
  }[];
  /** Of each backend, if the rule follows the load. */
  load: LoadSeries[];
}

export interface Tick extends AllCounts {
  at: number;
  p50: number | null;
  p99: number | null;
}

export type Subject = Record<string, string>;

export interface Caller {
  caller: string;
  subject: Subject;
  allowed: number;
  denied: number;
  perSecond: number;
  deniedPerSecond: number;
  burstRatio: number | null;
  since: number;
  last: number;
  error: number;
  rules: string[];
}

export interface Callers {
  now: number;
  windowMs: number;
  tracked: number;
  error: number;
  instances: number;
  callers: Caller[];
}

export interface OneCaller extends Caller {
  /** Whether names and values are shortened, since the token may not see them. */
  masked?: boolean;
  /** Null if only other instances have seen it. */
  series: { from: number; stepMs: number; allowed: number[]; denied: number[] } | null;
}

export interface Flaw {
  line?: number;
  column?: number;
  field?: string;
  message: string;
}

export interface RuleJson {
  id: string;
  description?: string;
  mode?: string;
  fallback?: boolean;
  match?: Record<string, unknown>;
  per?: string | string[];
  exempt?: boolean;
  limit?: LimitJson | string;
  limits?: LimitJson[];
  shed?: ShedJson;
  overrides?: unknown[];
  [field: string]: unknown;
}

export interface ShedJson {
  signal: string;
  target: number | string;
  priority?: { by: string; order: string[] };
  [field: string]: unknown;
}

export interface LimitJson {
  algorithm: string;
  rate?: string;
  min?: number | string;
  max?: number | string;
  name?: string;
  [field: string]: unknown;
}

export interface RulePage {
  revision: number;
  total: number;
  next?: string;
  rules: RuleJson[];
}

export interface Edit {
  field: string;
  before: string | null;
  after: string | null;
}

export interface Diff {
  added: number;
  removed: number;
  changed: number;
  moved: number;
  same: number;
  changes: { id: string; change: 'added' | 'removed' | 'changed'; fields: Edit[] }[];
  moves: { id: string; after: string | null }[];
  more?: number;
}

export interface Revision {
  number: number;
  at: string;
  author: string;
  message: string;
  restored?: number;
  added: number;
  changed: number;
  removed: number;
  rules: number;
}

/** A revision of one rule, with what it changed in it. */
export interface RuleRevision extends Revision {
  change: 'added' | 'removed' | 'changed';
  fields: Edit[];
}

export interface Affected {
  sampled: number;
  affected: number;
  note: string;
  list: { subject: Subject; rules: { id: string; change: string; fields: Edit[] }[] }[];
}

export interface Changed {
  changed: boolean;
  revision: Revision;
  diff: Diff;
  dryRun?: boolean;
  readOnly?: string;
  /** Settings of the changed rules that may admit more than intended. */
  warnings?: string[];
  callers?: Affected;
}

export type FailurePolicy = 'local' | 'allow' | 'deny' | 'allow-then-deny';

export interface LimitState {
  rule: string;
  name: string;
  algorithm: string;
  limit: number;
  /** The bounds of an adaptive limit, of which `limit` is the present value. */
  min?: number;
  max?: number;
  /** Null if unknown, because the store is unavailable. */
  remaining: number | null;
  resetAfterMs: number | null;
  /** The policy that decides, because the store is unavailable. */
  onStoreFailure?: FailurePolicy;
}

/** The permits that open reservations hold of a limit. */
export interface HeldPermits {
  limit: string;
  open: number;
  held: number;
  used: number;
  free: number;
  /** Whether all open reservations were read. */
  complete: boolean;
}

/** A counter with open reservations. */
export interface HeldCounter extends HeldPermits {
  rule: string;
  key: string;
}

export interface OpenReservations {
  /** Of all rules. */
  open: number;
  masked: boolean;
  counters: HeldCounter[];
}

export interface Explained {
  id: string;
  applies: boolean;
  reason: string;
  mode: string;
  override: number | null;
  /** The highest cost that the rule would let pass now, given how it combines its limits; null if unknown. */
  remaining: number | null;
  conditions: { attribute: string; pattern: string; value: string | null; met: boolean }[];
  limits: LimitState[];
  /** The limits of which open reservations hold permits; missing if there are none. */
  reservations?: HeldPermits[];
  /** How a rule that sheds load treats the subject. */
  shedding?: Level & { priority?: string; dropped: boolean; retryAfterMs: number };
}

export interface Explanation {
  subject: Subject;
  rules: Explained[];
  /** The number of all rules that do not apply. */
  notApplying: number;
  nearMisses: Explained[];
}

export type Outcome = 'admitted' | 'denied' | 'delayed';

export interface Trial {
  durationMs: number;
  stepMs: number;
  offered: number[];
  requests: number;
  truncated: boolean;
  /** Limitations of the result. */
  notes: string[];
  results: TrialResult[];
}

export interface TrialResult {
  name: string;
  algorithm: string;
  admitted: number[];
  denied: number[];
  delayed: number[];
  totals: { admitted: number; denied: number; delayed: number };
  maxInWindow: { windowMs: number; admitted: number; limit: number } | null;
  delay: { p50Ms: number; p99Ms: number; maxMs: number } | null;
  stateBytes: number | null;
  queue: number[];
  first: { atMs: number; outcome: Outcome; delayMs: number }[];
  /** The requests of each tenant, if the traffic has several. */
  tenants?: { name: string; requests: number; admitted: number }[];
}

export interface WhatIf {
  source: {
    kind: string;
    from: number;
    to: number;
    requests: number;
    /** The number of requests that were replayed; less than all if the traffic was sampled. */
    replayed: number;
    weight: number;
    unreadable: number;
    samples: string[];
    /** Limitations of the result. */
    notes: string[];
  };
  before: { allowed: number; denied: number; delayed: number };
  after: { allowed: number; denied: number; delayed: number };
  changedToDenied: number;
  changedToAllowed: number;
  series: {
    from: number;
    stepMs: number;
    offered: number[];
    deniedBefore: number[];
    deniedAfter: number[];
  };
  byRule: { rule: string; requestsBefore: number; requestsAfter: number; deniedBefore: number; deniedAfter: number }[];
  callers: {
    caller: string;
    requests: number;
    deniedBefore: number;
    deniedAfter: number;
    firstDeniedAt: number | null;
  }[];
}

/** The regions that share limits, as one instance sees them. */
export interface Regions {
  name: string;
  leaseMs: number;
  home: { address: string; ready: boolean; roundTripMs: number; problem?: string; requests: number; errors: number; seenMsAgo: number };
  regions: Region[];
}

export interface Region {
  name: string;
  /** Whether none of its instances has reported lately. */
  silent: boolean;
  instances: number;
  ageMs: number;
  revision?: number;
  roundTripMs?: number;
  rules: { rule: string; counters: number; held: number; demandPerSecond: number }[];
}

/** The members of a cluster as one of them sees them. */
export interface ClusterState {
  majority: boolean;
  /** The number of members that a majority is counted of. */
  expected: number;
  partitions: number;
  unowned: number;
  unbacked: number;
  members: { id: number; address: string; self: boolean; owned: number; backed: number }[];
  unreachable: { id: number; address: string; since: string }[];
}

export interface Health {
  store: { kind: string; unavailable: boolean; cluster?: ClusterState };
}
