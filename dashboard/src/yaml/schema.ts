// The fields of a rule, for completion and for the form. What is valid is decided by the service.

export interface Field {
  name: string;
  /** One line for the completion list. */
  about: string;
  values?: readonly string[];
  fields?: readonly Field[];
}

export interface Algorithm {
  name: string;
  about: string;
  fields: readonly string[];
}

export const ALGORITHMS: readonly Algorithm[] = [
  { name: 'token-bucket', about: 'a rate, with bursts', fields: ['rate', 'burst', 'fair'] },
  { name: 'leaky-bucket', about: 'evenly spaced, optionally with a queue', fields: ['rate', 'queue', 'max-wait', 'mode'] },
  { name: 'fixed-window', about: 'a count in each hour, day or other window', fields: ['rate', 'align', 'zone'] },
  { name: 'sliding-window', about: 'a count in any window, approximately', fields: ['rate', 'buckets', 'bound'] },
  { name: 'rolling-window', about: 'a count in any window, exactly', fields: ['rate', 'min-interval'] },
  { name: 'concurrency', about: 'requests at the same time', fields: ['max', 'lease'] },
  { name: 'adaptive-concurrency', about: 'requests at the same time, as many as the backend can handle', fields: ['min', 'max', 'initial', 'lease'] },
];

export const MODES = ['enforce', 'shadow', 'off'] as const;
export const CONSISTENCIES = ['strict', 'leased', 'eventual', 'auto'] as const;
export const POLICIES = ['local', 'allow', 'deny'] as const;
export const COMBINES = ['all', 'any', 'weighted', 'hierarchical', 'priority'] as const;
export const SCOPES = ['user', 'group', 'tenant', 'region', 'global'] as const;
export const EXCESSES = ['clamp', 'refuse'] as const;
export const EXPIRIES = ['charge-used', 'charge-reserved', 'release'] as const;
const SIGNALS = ['utilization', 'in-flight', 'queue-wait', 'latency', 'errors'] as const;
const BOOLEAN = ['true', 'false'] as const;

const LIMIT: readonly Field[] = [
  { name: 'name', about: 'the name of one of several limits' },
  { name: 'algorithm', about: 'how requests are counted', values: ALGORITHMS.map(({ name }) => name) },
  { name: 'rate', about: 'a count per time, such as 100/1m' },
  { name: 'burst', about: 'the most at once' },
  { name: 'queue', about: 'how many may wait' },
  { name: 'max-wait', about: 'how long a request may wait, such as 2s' },
  { name: 'mode', about: 'whether a request may wait', values: ['queue', 'reject'] },
  { name: 'align', about: 'where a window begins', values: ['epoch', 'calendar'] },
  { name: 'zone', about: 'a time zone, such as Europe/Berlin' },
  { name: 'buckets', about: 'the accuracy of a sliding window, 10 if not given' },
  { name: 'bound', about: 'how a sliding window estimates', values: ['interpolated', 'conservative'] },
  { name: 'min-interval', about: 'the least time between two requests' },
  { name: 'max', about: 'the most at the same time' },
  { name: 'min', about: 'the fewest at the same time, 1 if not given' },
  { name: 'initial', about: 'how many before anything is learned, 20 if not given' },
  { name: 'lease', about: 'how long a slot lasts without a renewal, 30s if not given' },
  { name: 'cost', about: 'the named cost that it spends, such as bytes' },
  { name: 'required', about: 'whether a request without that cost is an error', values: BOOLEAN },
  { name: 'per', about: 'the attributes that have counters of their own' },
  { name: 'weight', about: 'with combine: weighted' },
  { name: 'priority', about: 'with combine: priority' },
  { name: 'scope', about: 'with combine: hierarchical', values: SCOPES },
  {
    name: 'adapt',
    about: 'the rate follows a signal',
    fields: [
      { name: 'between', about: 'the lowest and the highest rate' },
      { name: 'signal', about: 'the figure that backends report', values: SIGNALS },
      { name: 'target', about: 'the value to keep, such as 250ms or 0.8' },
      { name: 'pin', about: 'a rate that applies instead' },
    ],
  },
  {
    name: 'fair',
    about: 'shares the limit fairly',
    fields: [
      { name: 'among', about: 'the attribute whose values share it' },
      { name: 'weight-by', about: 'the attribute that has the weight' },
      { name: 'weights', about: 'a weight for each value' },
    ],
  },
];

const OVERRIDE: readonly Field[] = [
  { name: 'match', about: 'the requests with another limit' },
  { name: 'limit', about: 'their limit; fields not named are those of the rule', values: ['deny', 'unlimited'], fields: LIMIT },
  { name: 'limits', about: 'their limits, if several', fields: LIMIT },
];

const SHED: readonly Field[] = [
  { name: 'signal', about: 'the figure that backends report', values: SIGNALS },
  { name: 'target', about: 'the value to keep, such as 0.8 or 250ms' },
  {
    name: 'priority',
    about: 'which requests are dropped first',
    fields: [
      { name: 'by', about: 'the attribute with the priority' },
      { name: 'order', about: 'its values; the first is dropped last' },
    ],
  },
  { name: 'guarantee', about: 'shares of the capacity that are never dropped' },
  { name: 'callers', about: 'the attributes that identify a caller' },
];

export const RULE: readonly Field[] = [
  { name: 'id', about: 'unique; shown in decisions, headers and metrics' },
  { name: 'description', about: 'what it protects' },
  { name: 'match', about: 'the requests that it applies to' },
  { name: 'per', about: 'one counter per distinct value of these attributes' },
  { name: 'exempt', about: 'excuses the matched subjects from all other rules', values: BOOLEAN },
  { name: 'combine', about: 'how several limits decide', values: COMBINES },
  { name: 'threshold', about: 'with combine: weighted' },
  { name: 'limit', about: 'one limit', values: ['deny'], fields: LIMIT },
  { name: 'limits', about: 'several limits', fields: LIMIT },
  { name: 'shed', about: 'drops requests while a backend is overloaded', fields: SHED },
  { name: 'overrides', about: 'other limits for some of the requests', fields: OVERRIDE },
  { name: 'fallback', about: 'applies only when no other rule does', values: BOOLEAN },
  { name: 'mode', about: 'whether it denies, only reports, or is off', values: MODES },
  { name: 'status', about: 'the HTTP status of a denial' },
  { name: 'consistency', about: 'how instances agree', values: CONSISTENCIES },
  {
    name: 'on-store-failure',
    about: 'what decides while the store is unavailable',
    values: POLICIES,
    fields: [{ name: 'allow-then-deny', about: 'allowed for this long, then denied' }],
  },
  {
    name: 'reservation',
    about: 'how permits are reserved until the real cost is known',
    fields: [
      { name: 'ttl', about: 'how long without an update, 60s if not given' },
      { name: 'max-share', about: 'the largest part of a limit for one reservation, such as 50%' },
      { name: 'default', about: 'the permits to reserve if the request does not name the cost' },
      { name: 'excess', about: 'what happens to a larger estimate', values: EXCESSES },
      { name: 'on-expiry', about: 'what an expired reservation is charged', values: EXPIRIES },
      { name: 'max-debt', about: 'how long usage beyond a limit counts, ten of its windows if not given' },
    ],
  },
  {
    name: 'active',
    about: 'when the rule applies',
    fields: [
      { name: 'days', about: 'such as mon-fri' },
      { name: 'hours', about: 'such as "09:00-17:00"' },
      { name: 'zone', about: 'a time zone, such as Europe/Berlin' },
      { name: 'from', about: 'a date or time' },
      { name: 'until', about: 'a date or time' },
    ],
  },
];

/** What a condition of a match may consist of. */
export const CONDITION: readonly Field[] = [
  { name: 'is', about: 'a pattern, or a list of them' },
  { name: 'except', about: 'patterns that do not match' },
  { name: 'or', about: 'also requests without the attribute', values: ['absent'] },
];

/** Attributes that are common in rules; any other name is as good. */
export const ATTRIBUTES = ['key', 'user', 'tenant', 'ip', 'path', 'method', 'api-key', 'plan'] as const;

export const fieldOf = (fields: readonly Field[], name: string) => fields.find((field) => field.name === name);

/** Orders the members of a map as rule files do; others follow. */
export function orderOf(fields: readonly Field[]): (name: string) => number {
  const order = new Map(fields.map((field, i) => [field.name, i]));
  return (name) => order.get(name) ?? fields.length;
}
