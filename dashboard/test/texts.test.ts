import { describe, expect, it } from 'vitest';
import type { Anomaly, Explained, Stats, Trial, WhatIf } from '../src/api/types';
import { href, parseHash } from '../src/app/route';
import { parseSubject } from '../src/pages/callers/ExplainPage';
import { limitSentence, reasonText, summarize } from '../src/pages/callers/explained';
import { headline } from '../src/pages/overview/headline';
import { bars } from '../src/pages/playground/bars';
import { lesson } from '../src/pages/playground/lesson';
import { DEFAULT, LOUD_TENANT, fromQuery, requestOf, timesProblem, toQuery } from '../src/pages/playground/setup';
import { limitsOf, limitText, matchText } from '../src/pages/rules/describe';
import { idIn, toYaml } from '../src/yaml/print';
import { fitting, jsonBytes, lastLines, MAX_BYTES } from '../src/pages/whatif/fitting';
import { outcomeSentence } from '../src/pages/whatif/Outcome';
import { duration, micros, percent, rate } from '../src/ui/format';
import { stats } from './stats';

const anomaly = (part: Partial<Anomaly>): Anomaly => ({
  id: '1', kind: 'rate', severity: 'warning', since: Date.now(), until: null, rule: null, caller: null, value: 1, expected: null, text: 'user:42 sends 23 times as many checks as usual', ...part,
});
const with_ = (part: Partial<Stats>): Stats => ({ ...stats(), ...part });

describe('the headline', () => {
  it('reports normal operation', () => {
    expect(headline(stats())).toMatchObject({ tone: 'good', text: 'All systems normal: 124 checks per second, 2.6 % denied' });
  });

  it('reports the absence of traffic', () => {
    expect(headline(with_({ rates: { allowed: 0, denied: 0, shadowDenied: 0, degraded: 0, delayed: 0, unmatched: 0 } })).text).toContain('no traffic');
  });

  it('reports an unavailable store before everything else', () => {
    const unavailable = with_({ store: { ...stats().store, unavailable: true, problem: 'connection refused' }, anomalies: [anomaly({ kind: 'breaker', severity: 'critical', since: new Date(2026, 0, 1, 12, 3).getTime() })] });
    expect(headline(unavailable)).toEqual({ tone: 'bad', text: 'The store is unavailable: failure policies decide since 12:03', more: 'connection refused' });
  });

  it('mentions a recent outage only as a remark', () => {
    const { now } = stats();
    const over = with_({ anomalies: [anomaly({ kind: 'fail-open', severity: 'critical', since: now - 60_000 })] });
    expect(headline(over)).toMatchObject({ tone: 'good', more: expect.stringMatching(/^The store was unavailable at \d\d:\d\d; it is available again\.$/) });
    expect(headline(with_({ anomalies: [anomaly({ kind: 'breaker', since: now - 3_000_000, until: now - 2_000_000 })] })).more).toBeNull();
    expect(headline(with_({ anomalies: [anomaly({ kind: 'breaker', since: now - 3_000_000, until: now - 60_000 })] })).more).toContain('it is available again');
  });

  it('warns of decisions by failure policy even while the store seems available', () => {
    expect(headline(with_({ rates: { ...stats().rates, degraded: 4 } })).tone).toBe('bad');
  });

  it('reports open anomalies only', () => {
    expect(headline(with_({ anomalies: [anomaly({}), anomaly({ id: '2' })] })).text).toBe('user:42 sends 23 times as many checks as usual (and 1 more warning)');
    expect(headline(with_({ anomalies: [anomaly({ until: 1 })] })).tone).toBe('good');
  });

  it('warns of many denials, missing rules and read-only rules', () => {
    expect(headline(with_({ rates: { allowed: 10, denied: 10, shadowDenied: 0, degraded: 0, delayed: 0, unmatched: 0 } })).text).toContain('Many denials: 50 %');
    expect(headline(with_({ rules: { ...stats().rules, count: 0 } })).tone).toBe('warning');
    expect(headline(with_({ rules: { ...stats().rules, problem: 'the database is unavailable' } })).more).toContain('the database is unavailable');
  });
});

describe('numbers', () => {
  it('are short and never show a small value as zero', () => {
    expect([0, 0.01, 0.25, 12.34, 812, 12_345].map(rate)).toEqual(['0', '<0.1', '0.3', '12.3', '812', '12.3K']);
    expect([percent(0, 10), percent(1, 10_000), percent(26, 1000), percent(1, 3)]).toEqual(['0 %', '<0.1 %', '2.6 %', '33 %']);
    expect([12, 1500, 25_000, 2_500_000].map(micros)).toEqual(['12 µs', '1.5 ms', '25 ms', '2.5 s']);
    expect([250, 1500, 52_001, 59_999, 119_700, 290_000, 3_600_000, 90_000_000].map(duration)).toEqual(['250 ms', '1.5 s', '52 s', '1 min', '2 min', '4 min 50 s', '1 h', '1 d 1 h']);
  });
});

describe('routes', () => {
  it('round-trip any caller name', () => {
    const name = 'user:a/b?c=d#e %';
    expect(parseHash(href(['callers', name], { x: '1 2' }))).toMatchObject({ parts: ['callers', name] });
    expect(parseHash('#/rules/100%').parts).toEqual(['rules', '100%']);
    expect(parseHash('').parts).toEqual([]);
  });
});

describe('a rule as text', () => {
  it('is formatted like a rule file', () => {
    const rule = { id: 'per-user', description: 'no: really', match: { key: 'user:*' }, per: ['key'], limit: { algorithm: 'token-bucket', rate: '100/1m', burst: 200 }, overrides: [{ match: { key: 'user:42' }, limit: { algorithm: 'token-bucket', rate: '1k/1m' } }], fallback: true, active: { hours: '22:00-06:00' } };
    expect(toYaml(rule)).toBe(
      `id: per-user
description: "no: really"
match: { key: "user:*" }
per: [key]
limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
overrides:
  - { match: { key: "user:42" }, limit: { algorithm: token-bucket, rate: 1k/1m } }
fallback: true
active: { hours: "22:00-06:00" }
`,
    );
  });

  it('quotes ambiguous values', () => {
    expect(toYaml({ id: 'off', match: { a: '1', b: 'null', c: ' x', d: '' } })).toBe('id: "off"\nmatch: { a: "1", b: "null", c: " x", d: "" }\n');
  });

  it('yields its id', () => {
    expect(idIn('# id: no\nid: per-user # yes\nlimit: {}')).toBe('per-user');
    expect(idIn('{"id":"a b","limit":{}}')).toBe('a b');
    expect(idIn('limit: { x: 1 }')).toBeNull();
  });

  it('is described briefly', () => {
    expect(limitText({ algorithm: 'leaky-bucket', rate: '1/1s', queue: 10 })).toBe('leaky-bucket 1/1s, queue 10');
    expect(limitText({ algorithm: 'concurrency', max: 3 })).toBe('concurrency 3 at once');
    expect(limitText({ algorithm: 'adaptive-concurrency', max: 200 })).toBe('adaptive-concurrency 1 to 200 at once');
    expect(matchText({ id: 'a', match: { path: ['/a', '/b'], ip: { except: '10.0.0.0/8' } } })).toBe('path=/a or /b ip=any except 10.0.0.0/8');
    expect(matchText({ id: 'a' })).toBe('all callers');
    expect(limitsOf({ id: 'a', shed: { signal: 'utilization', target: 0.8, priority: { by: 'priority', order: ['critical', 'bulk'] } } })).toEqual(['shed utilization 0.8, critical > bulk']);
    expect(limitsOf({ id: 'a', shed: { signal: 'latency', target: '250ms' } })).toEqual(['shed latency 250ms']);
  });
});

describe('an explanation', () => {
  const rule = (id: string, mode: string, remaining: number): Explained => ({ id, applies: true, reason: '', mode, override: null, remaining, conditions: [], limits: [{ rule: id, name: id, algorithm: 'rolling-window', limit: 5, remaining, resetAfterMs: 290_000 }] });

  it('names the rule that limits', () => {
    const said = summarize({ subject: {}, rules: [rule('per-ip', 'enforce', 3), rule('login', 'enforce', 0)], notApplying: 0, nearMisses: [] });
    expect(said).toEqual({ limited: true, text: 'Limited by login: 0 of 5 left, full again in 4 min 50 s.' });
  });

  it('does not report a rule as limiting that passes although one of its limits is spent', () => {
    const spent = rule('plan', 'enforce', 0).limits[0]!;
    const either = (remaining: number) => ({ ...rule('plan', 'enforce', remaining), limits: [spent, { ...spent, name: 'overflow', remaining }] });
    const said = (remaining: number) => summarize({ subject: {}, rules: [either(remaining)], notApplying: 0, nearMisses: [] });
    expect(said(3)).toEqual({ limited: false, text: 'Not limited at the moment: the rule that applies has permits left.' });
    expect(said(0)).toMatchObject({ limited: true, text: 'Limited by plan: 0 of 5 left, full again in 4 min 50 s.' });
    const shadow = { ...either(3), mode: 'shadow' };
    expect(summarize({ subject: {}, rules: [shadow], notApplying: 0, nearMisses: [] }).text).not.toContain('would limit');
  });

  it('names the rule that sheds load', () => {
    const shedding = { level: 0.4, kind: 'utilization', target: 0.8, signal: 0.97, reporters: 2, signalAgeMs: 300, dropped: true, retryAfterMs: 12_000 };
    const said = (dropped: boolean) => summarize({ subject: {}, rules: [{ ...rule('overload', 'enforce', 1), limits: [], shedding: { ...shedding, dropped } }], notApplying: 0, nearMisses: [] });
    expect(said(true)).toEqual({ limited: true, text: 'Dropped by overload to shed load, for 12 s.' });
    expect(said(false).limited).toBe(false);
  });

  it('does not report a shadow rule as limiting', () => {
    expect(summarize({ subject: {}, rules: [rule('trial', 'shadow', 0)], notApplying: 0, nearMisses: [] })).toMatchObject({ limited: false });
    expect(summarize({ subject: {}, rules: [], notApplying: 0, nearMisses: [] }).text).toContain('No rule applies');
  });

  it('names the rule that denies, or that excuses', () => {
    const deny = { ...rule('block-1', 'enforce', 0), limits: [{ ...rule('block-1', 'enforce', 0).limits[0]!, algorithm: 'deny', limit: 0 }] };
    const said = (...rules: Explained[]) => summarize({ subject: {}, rules, notApplying: 0, nearMisses: [] });
    expect(said(deny)).toEqual({ limited: true, text: 'Denied by block-1: every request is refused.' });
    expect(limitSentence(deny.limits[0]!)).toBe('every request is refused');
    const exempt = { ...rule('health', 'enforce', 0), reason: 'applies and excuses from all other rules', remaining: null, limits: [] };
    expect(said(exempt)).toEqual({ limited: false, text: 'Not limited: health applies and excuses from all other rules.' });
    expect(reasonText({ ...exempt, conditions: [{ attribute: 'path', pattern: '/health', value: '/health', met: true }] })).toBe('path /health matches /health; applies and excuses from all other rules');
  });

  it('accepts a key or attributes', () => {
    expect(parseSubject('user:42')).toEqual({ key: 'user:42' });
    expect(parseSubject(' user=42  path=/login?a=b ')).toEqual({ user: '42', path: '/login?a=b' });
    expect(parseSubject('a b')).toBeNull();
  });
});

describe('the playground', () => {
  it('round-trips through the URL', () => {
    const setup = { ...DEFAULT, kind: 'drawn' as const, count: 42, drawn: DEFAULT.drawn.map((_, i) => i), algorithms: ['fixed-window'] };
    expect(fromQuery(new URLSearchParams(toQuery(setup)))).toEqual(setup);
    expect(toQuery(DEFAULT)).toEqual({});
  });

  it('uses defaults for invalid URL parameters', () => {
    expect(fromQuery(new URLSearchParams('traffic=x&limit=abc&algorithms=none&drawn=1.2&burst=99999'))).toEqual({ ...DEFAULT, burst: 500 });
  });

  it('sends the setup', () => {
    const request = requestOf({ ...DEFAULT, kind: 'times', times: '500, 12 0', algorithms: ['token-bucket'] });
    expect(request).toEqual({ durationMs: 60_000, traffic: { kind: 'times', times: [0, 12, 500] }, limits: [{ name: 'token-bucket', limit: { algorithm: 'token-bucket', rate: '100/10s', burst: 50 } }] });
  });

  it('has a setup of one loud tenant beside nine quiet ones', () => {
    const setup = { ...DEFAULT, ...LOUD_TENANT };
    expect(fromQuery(new URLSearchParams(toQuery(setup)))).toEqual(setup);
    const request = requestOf(setup);
    expect(request.traffic).toEqual({ kind: 'tenants', rates: [200, 5, 5, 5, 5, 5, 5, 5, 5, 5] });
    expect(request.limits[1]).toEqual({ name: 'fair-share', limit: { algorithm: 'token-bucket', rate: '100/1s', burst: 100, fair: { among: 'tenant' } } });
  });

  it('reports invalid times', () => {
    expect(timesProblem('0 12 x')).toContain('“x”');
    expect(timesProblem('60000')).toContain('0 to 59999');
    expect(timesProblem('')).toContain('at least one');
    expect(timesProblem('0 1')).toBeNull();
  });

  it('stacks bars', () => {
    expect(bars([{ name: 'a', values: [2, 0] }, { name: 'b', values: [1, 0] }], 4)).toEqual([
      { name: 'a', path: 'M0.12 4V2H0.88V4Z' },
      { name: 'b', path: 'M0.12 2V1H0.88V2Z' },
    ]);
  });

  it('summarizes the results', () => {
    const result = (name: string, admitted: number, denied: number) => ({ name, algorithm: name, admitted: [], denied: [], delayed: [], totals: { admitted, denied, delayed: 0 }, maxInWindow: { windowMs: 10_000, admitted, limit: 100 }, delay: null, stateBytes: 1, queue: [], first: [] });
    const trial = (...results: ReturnType<typeof result>[]): Trial => ({ durationMs: 1, stepMs: 1, offered: [], requests: 300, truncated: false, notes: [], results });
    expect(lesson(trial(result('fixed-window', 199, 1), result('rolling-window', 100, 100)))).toBe('The limit is 100 in 10 s: fixed window lets 199 pass in one such span, rolling window no more than 100.');
    expect(lesson(trial(result('token-bucket', 80, 0)))).toContain('All 300 requests pass');
    const tenants = [{ name: 'tenant-1', requests: 250, admitted: 50 }, { name: 'tenant-2', requests: 50, admitted: 30 }];
    expect(lesson(trial({ ...result('token-bucket', 80, 220), tenants } as ReturnType<typeof result>))).toBe('Of the 50 requests of the quiet tenants: token bucket denies 20.');
    expect(lesson(trial(result('token-bucket', 80, 5), result('rolling-window', 70, 15)))).toBe('Of 300 requests rolling window denies 15, token bucket 5.');
  });
});

describe('a log that is replayed', () => {
  it('is trimmed to its last complete lines by their encoded size', () => {
    expect(lastLines('a\nb\n', 100)).toBe('a\nb\n');
    const line = '{"path":"/é"}\n';
    const text = line.repeat(50);
    for (const room of [2, jsonBytes(line) - 1, jsonBytes(line), 500]) {
      const cut = lastLines(text, room);
      expect(jsonBytes(cut)).toBeLessThanOrEqual(room);
      expect(cut).toBe(line.repeat(cut.length / line.length));
      expect(jsonBytes(line + cut)).toBeGreaterThan(room);
    }
    expect(lastLines('\n\n\n', 4)).toBe('\n');
    expect(lastLines('one long line', 5)).toBe('');
  });

  it('fits into one request together with the rules', () => {
    const text = '{"user":"a \\"quoted\\" one"}\n'.repeat(300_000);
    const question = fitting({ rules: 'x'.repeat(1_000_000), replace: null, source: { kind: 'log', text, format: 'json' } });
    expect(jsonBytes(question)).toBeLessThanOrEqual(MAX_BYTES - 64 * 1024);
    expect(jsonBytes(question)).toBeGreaterThan(MAX_BYTES - 65 * 1024);
    expect(text.endsWith(question.source.text!)).toBe(true);
    const recent = { rules: 'x', replace: 'a', source: { kind: 'recent' as const } };
    expect(fitting(recent)).toBe(recent);
  });
});

describe('a simulation', () => {
  it('summarizes the changes', () => {
    const result = { source: { requests: 1000 }, changedToDenied: 20, changedToAllowed: 1 } as WhatIf;
    expect(outcomeSentence(result)).toBe('Of 1,000 requests, 20 would change from allowed to denied (2.0 %), and 1 would change from denied to allowed (0.1 %).');
    expect(outcomeSentence({ ...result, changedToDenied: 0, changedToAllowed: 0 })).toContain('No difference');
    expect(outcomeSentence({ ...result, source: { ...result.source, requests: 0 } })).toContain('no traffic');
  });
});
