// A mock service for dashboard development: it answers like the real one, with generated statistics.
// What it takes for valid is a guess; the real one is a `--service http://127.0.0.1:8080` away.

import { runTrial } from './trial.mjs';

const RULES = [
  { id: 'per-user', description: 'All signed-in users', match: { key: 'user:*' }, limit: { algorithm: 'token-bucket', rate: '100/1m', burst: 200 }, overrides: [{ match: { key: 'user:42' }, limit: { algorithm: 'token-bucket', rate: '1000/1m' } }] },
  { id: 'per-ip', description: 'each address', match: { ip: '*' }, limit: { algorithm: 'sliding-window', rate: '300/1m' } },
  { id: 'login', description: 'guessing passwords is slow work', match: { path: '/login', ip: '*' }, limit: { algorithm: 'rolling-window', rate: '5/5m' } },
  { id: 'contract', match: { tenant: '*' }, combine: 'all', limits: [{ name: 'calls', algorithm: 'fixed-window', rate: '1000/1h' }, { name: 'bytes', algorithm: 'token-bucket', rate: '10485760/1h', cost: 'bytes' }] },
  { id: 'search-trial', mode: 'shadow', match: { path: '/search*' }, limit: { algorithm: 'token-bucket', rate: '20/1s' } },
  { id: 'everything-else', fallback: true, match: { key: '*' }, limit: { algorithm: 'token-bucket', rate: '10/1s' } },
];

const wave = (t, period, low, high) => low + ((high - low) * (1 + Math.sin((2 * Math.PI * t) / period))) / 2;
const noise = (t) => Math.abs(Math.sin(t * 12.9898) * 43758.5453) % 1;

function second(t, unavailable) {
  const allowed = Math.round(wave(t, 90, 90, 150) + 25 * noise(t));
  const denied = Math.round(wave(t, 40, 1, 5) + 3 * noise(t + 7) + (t % 97 < 6 ? 30 : 0));
  return { allowed, denied, shadowDenied: Math.round(2 * noise(t + 3)), degraded: unavailable ? allowed : 0, delayed: 0, unmatched: Math.round(6 * noise(t + 5)), p50: Math.round(14 + 6 * noise(t)), p99: Math.round(60 + 90 * noise(t + 1)) };
}

const COUNTS = ['allowed', 'denied', 'shadowDenied', 'degraded', 'delayed', 'unmatched'];
const sum = (list, name) => list.reduce((all, one) => all + one[name], 0);

export function fixture({ token = null } = {}) {
  const started = Date.now() - 3_723_000;
  const state = { rules: structuredClone(RULES), revisions: [], unavailable: false, streams: new Set() };
  const keep = (author, message, diff, restored) => {
    state.revisions.unshift({ revision: { number: state.revisions.length + 1, at: new Date().toISOString(), author, message, ...(restored ? { restored } : {}), added: diff.added, changed: diff.changed, removed: diff.removed, rules: state.rules.length }, diff, rules: structuredClone(state.rules) });
  };
  keep('examples', '', diffOf([], state.rules));
  state.rules[1].limit.rate = '600/1m';
  keep('ada', 'a new data center', diffOf(state.revisions[0].rules, state.rules));

  const newest = () => state.revisions[0].revision.number;

  function stats(now) {
    const t = Math.floor(now / 1000);
    const ten = Array.from({ length: 10 }, (_, i) => second(t - i, state.unavailable));
    const rates = Object.fromEntries(COUNTS.map((n) => [n, sum(ten, n) / 10]));
    return {
      now, instance: 'a1b2c3', startedAt: started, version: '1.0.0-rc.1', instances: 3,
      store: { kind: 'redis', address: 'redis at 10.0.0.5:6379', unavailable: state.unavailable, since: state.unavailable ? now - 65_000 : null, problem: state.unavailable ? 'connection refused' : null, failurePolicies: state.unavailable ? [{ policy: 'local', count: 6, rules: state.rules.map((rule) => rule.id).slice(0, 3) }] : [], decidedByPolicy: state.unavailable ? 7421 : 0, allowedUncounted: 0, trackedKeys: 12_345, breaker: state.unavailable ? 'open' : 'closed' },
      rules: { count: state.rules.length, revision: newest(), source: 'database', problem: null, ignoredFile: null },
      rates, totals: { allowed: 431_234, denied: 11_021, shadowDenied: 3_401, degraded: 0, delayed: 0, unmatched: 9_120 },
      latency: { check: { p50: 16, p90: 31, p99: 118, max: 2210 }, store: { p50: 210, p90: 380, p99: 1240, max: 8100 } },
      byRule: state.rules.map((rule, i) => ({ rule: rule.id, allowed: rates.allowed / (i + 1.6), denied: i % 2 === 0 ? rates.denied / (i + 1.2) : 0, shadowDenied: rule.mode === 'shadow' ? rates.shadowDenied : 0, degraded: 0, delayed: 0 })),
      hotKeys: [{ rule: 'per-user', key: 'user:42', perSecond: 41.2, mode: 'strict' }],
      anomalies: [
        ...(state.unavailable ? [{ id: '19', kind: 'breaker', severity: 'critical', since: now - 65_000, until: null, rule: null, caller: null, value: 1, expected: null, text: 'The store is unavailable; policies decide' }] : []),
        { id: '18', kind: 'new-caller', severity: 'info', since: now - 125_000, until: null, rule: 'per-user', caller: 'user:9731', value: 12, expected: null, text: 'user:9731 is new and among the ten busiest (12/s)' },
        { id: '17', kind: 'rate', severity: 'warning', since: now - 1_900_000, until: now - 1_500_000, rule: 'per-user', caller: 'user:42', value: 812, expected: 35, text: 'user:42 sends 23 times as many checks as usual (812/s, usually 35/s)' },
      ],
    };
  }

  function series(now) {
    const t = Math.floor(now / 1000);
    const all = Array.from({ length: 300 }, (_, i) => second(t - 300 + i, false));
    return { from: (t - 300) * 1000, stepMs: 1000, ...Object.fromEntries([...COUNTS, 'p50', 'p99'].map((n) => [n, all.map((one) => one[n])])) };
  }

  function history(now, query) {
    const range = query.get('range') ?? '5m';
    const [stepMs, length] = { '5m': [1000, 300], '1h': [10_000, 360], '24h': [60_000, 1440] }[range];
    const from = Math.floor(now / stepMs) * stepMs - (length - 1) * stepMs;
    const share = query.get('rule') ? 0.3 : 1;
    const counts = Array.from({ length }, (_, i) => second(Math.floor((from + i * stepMs) / 1000), false));
    const column = (name) => counts.map((one, i) => (from + i * stepMs < started ? 0 : Math.round((share * one[name] * stepMs) / 1000)));
    return { now, instance: 'a1b2c3', startedAt: started, range, rule: query.get('rule'), tracked: true, from, stepMs, lastMs: range === '5m' ? 1000 : Math.max(1, now % stepMs), ...Object.fromEntries(COUNTS.map((name) => [name, column(name)])) };
  }

  const counts = (n, denied, shadow) => ({ allowed: n, denied, shadowDenied: shadow, degraded: 0, delayed: 0 });

  function summary(now, rule, i) {
    const denied = i % 2 === 0 && rule.mode !== 'shadow' ? 90 : 0;
    return { rule: rule.id, mode: rule.mode ?? 'enforce', lastMinute: counts(1200 / (i + 1), denied, rule.mode === 'shadow' ? 12 : 0), lastDenied: denied ? now - 900 : null, changedAt: i === 1 ? now - 3_600_000 : now - 400_000_000, changedIn: i === 1 ? 2 : 1 };
  }

  function facts(now, id) {
    const i = state.rules.findIndex((rule) => rule.id === id);
    if (i < 0) return problem(404, `there are no statistics of a rule '${id}'`);
    const busiest = callers(now, new URLSearchParams()).callers.slice(0, 8);
    return json(200, {
      now, instance: 'a1b2c3', startedAt: started, inForce: true, tracked: true, masked: false, ...summary(now, state.rules[i], i),
      lastHour: counts(70_000, 3100, 0), lastDay: counts(1_400_000, 71_000, 0), onStoreFailure: 'local',
      callers: { windowMs: 600_000, checks: 9100, denials: 410, busiest: busiest.map(({ caller }, n) => ({ caller, checks: Math.round(3000 / (n + 1)), error: 0 })), denied: busiest.slice(0, 4).map(({ caller }, n) => ({ caller, denials: Math.round(200 / (n + 1)), error: 0 })) },
      denials: busiest.slice(0, 6).map(({ caller }, n) => ({ caller, at: now - 900 * n, since: now - 60_000, count: 17 - n, shadow: false, limit: id, retryAfterMs: 600 })),
    });
  }

  function callers(now, query) {
    const names = Array.from({ length: 60 }, (_, i) => (i % 7 === 3 ? `10.0.${i}.7` : `user:${(i * 37) % 997}`));
    names[1] = 'user:42';
    const sorts = { denied: (c) => c.denied, allowed: (c) => c.allowed, rate: (c) => c.perSecond, burst: (c) => c.burstRatio };
    const list = names
      .map((caller, i) => ({ caller, subject: caller.startsWith('user') ? { key: caller } : { ip: caller, path: '/login' }, allowed: Math.round(90_000 / (i + 1) ** 1.4), denied: Math.round((i % 3 ? 40 : 9000) / (i + 1)), perSecond: 150 / (i + 1) ** 1.4, deniedPerSecond: 1 / (i + 1), burstRatio: 1 + ((i * 13) % 50) / 10, since: now - 600_000, last: now - i * 300, error: i > 30 ? 2 : 0, rules: i % 7 === 3 ? ['login', 'per-ip'] : ['per-user'] }))
      .filter((c) => c.caller.includes(query.get('search') ?? '') && (!query.get('rule') || c.rules.includes(query.get('rule'))))
      .sort((a, b) => sorts[query.get('sort') ?? 'denied'](b) - sorts[query.get('sort') ?? 'denied'](a));
    return { now, windowMs: 600_000, tracked: 1000, error: 0.001, instances: 3, callers: list };
  }

  function explain({ subject }) {
    const applies = (rule) => Object.keys(rule.match ?? {}).every((name) => name in subject);
    const explained = (rule, yes) => ({ id: rule.id, applies: yes, reason: yes ? Object.entries(rule.match ?? {}).map(([n, p]) => `${n} ${subject[n]} matches ${p}`).join(', ') : `has no ${Object.keys(rule.match ?? {}).find((n) => !(n in subject)) ?? 'reason'}`, mode: rule.mode ?? 'enforce', override: null, remaining: yes ? (rule.id === 'login' ? 0 : 137) : null, conditions: [], limits: yes ? (rule.limits ?? [rule.limit]).map((l) => ({ rule: rule.id, name: l.name ?? rule.id, algorithm: l.algorithm, limit: 200, remaining: rule.id === 'login' ? 0 : 137, resetAfterMs: rule.id === 'login' ? 290_000 : 37_800 })) : [] });
    const yes = state.rules.filter((r) => applies(r) && !r.fallback);
    return { subject, rules: yes.map((r) => explained(r, true)), notApplying: state.rules.length - yes.length, nearMisses: state.rules.filter((r) => !yes.includes(r)).map((r) => explained(r, false)) };
  }

  function changed(request, query, edit, restored) {
    const expected = /"(\d+)"/.exec(request.headers['if-match'] ?? '');
    if (expected && Number(expected[1]) !== newest()) return problem(412, `the rules are at revision ${newest()}, but the change is based on revision ${expected[1]}; reload and retry`, 'If-Match');
    const after = edit(structuredClone(state.rules));
    const diff = diffOf(state.rules, after);
    const same = diff.changes.length === 0;
    const revision = state.revisions[0].revision;
    if (query.get('dry-run') === 'true') {
      return json(200, { dryRun: true, changed: !same, revision, diff, callers: { sampled: 120, affected: same ? 0 : 2, note: 'a sample', list: same ? [] : [{ subject: { key: 'user:7' }, rules: diff.changes.map((c) => ({ id: c.id, change: c.change, fields: c.fields.slice(0, 1) })) }, { subject: { key: 'user:12' }, rules: diff.changes.map((c) => ({ id: c.id, change: c.change, fields: c.fields.slice(0, 1) })) }] } }, newest());
    }
    if (!same) {
      state.rules = after;
      keep(decodeURIComponent(request.headers['x-headgate-author'] ?? 'anonymous'), decodeURIComponent(request.headers['x-headgate-message'] ?? ''), diff, restored);
      for (const stream of state.streams) stream.write(`event: rules\ndata: {"revision":${newest()}}\n\n`);
    }
    return json(200, { changed: !same, revision: state.revisions[0].revision, diff }, newest());
  }

  function answer(request, path, query, body) {
    const now = Date.now();
    const shown = request.headers.authorization === `Bearer ${token}`;
    if (path === '/v1/whoami') return json(200, { role: !token || shown ? 'admin' : 'none', guarded: token !== null, name: null });
    if (token && !shown) return problem(401, 'a token is needed; send Authorization: Bearer …');
    if (path === '/dev/unavailable') return (state.unavailable = !state.unavailable), json(200, { unavailable: state.unavailable });
    if (path === '/v1/stats') return json(200, { ...stats(now), series: series(now) });
    if (path === '/v1/stats/history') return json(200, history(now, query));
    if (path === '/v1/stats/rules') return json(200, { now, instance: 'a1b2c3', startedAt: started, revision: newest(), rules: state.rules.map((rule, i) => summary(now, rule, i)), other: counts(0, 0, 0) });
    if (path.startsWith('/v1/stats/rules/')) return facts(now, decodeURIComponent(path.slice(16)));
    if (path === '/v1/callers') return json(200, callers(now, query));
    if (path.startsWith('/v1/callers/')) {
      const name = decodeURIComponent(path.slice(12));
      const found = callers(now, new URLSearchParams()).callers.find((c) => c.caller === name);
      if (!found) return problem(404, `there is no caller '${name}' of late`);
      const all = series(now);
      return json(200, { ...found, series: { from: all.from, stepMs: 1000, allowed: all.allowed.map((n) => Math.round(n / 9)), denied: all.denied } });
    }
    if (path === '/v1/explain') return json(200, explain(JSON.parse(body)));
    if (path === '/v1/reset') return json(200, { reset: true, rule: JSON.parse(body).rule });
    if (path === '/v1/playground') return json(200, runTrial(JSON.parse(body)));
    if (path === '/v1/what-if') return json(200, whatIf(now));
    if (path === '/v1/rules') {
      const search = (query.get('search') ?? '').toLowerCase();
      const found = state.rules.filter((r) => r.id.includes(search) || (r.description ?? '').includes(search));
      return json(200, { revision: newest(), total: found.length, rules: found }, newest());
    }
    if (path.startsWith('/v1/rules/')) {
      const id = decodeURIComponent(path.slice(10));
      const at = state.rules.findIndex((r) => r.id === id);
      if (request.method === 'PUT') {
        const rule = readRule(body.replace(/#.*$/gm, ''));
        if (rule.problems) return problem(400, 'the rule is not valid', null, rule.problems);
        return changed(request, query, (rules) => (at < 0 ? [...rules, rule] : rules.with(at, rule)));
      }
      if (at < 0) return problem(404, `there is no rule '${id}'; GET /v1/rules lists them`);
      if (request.method === 'DELETE') return changed(request, query, (rules) => rules.toSpliced(at, 1));
      return json(200, state.rules[at], newest());
    }
    if (path === '/v1/revisions' && query.has('rule')) {
      const own = state.revisions.flatMap(({ revision, diff }) => diff.changes.filter(({ id }) => id === query.get('rule')).map(({ change, fields: edits }) => ({ ...revision, change, fields: edits })));
      return json(200, { revisions: own });
    }
    if (path === '/v1/revisions') return json(200, { revisions: state.revisions.map((r) => r.revision) });
    const revision = /^\/v1\/revisions\/(\d+)(\/restore)?$/.exec(path);
    const kept = revision && state.revisions.find((r) => r.revision.number === Number(revision[1]));
    if (kept && revision[2]) return changed(request, query, () => kept.rules, kept.revision.number);
    if (kept) return json(200, { revision: kept.revision, diff: kept.diff });
    return problem(404, `there is no endpoint ${path}; GET / lists all endpoints`);
  }

  function stream(request, response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 2000\n\n');
    state.streams.add(response);
    const timer = setInterval(() => {
      const now = Date.now();
      const at = Math.floor(now / 1000) - 1;
      response.write(`event: stats\ndata: ${JSON.stringify({ ...stats(now), tick: { at: at * 1000, ...second(at, state.unavailable) } })}\n\n`);
    }, 1000);
    request.on('close', () => {
      clearInterval(timer);
      state.streams.delete(response);
    });
  }

  return async (request, response) => {
    const url = new URL(request.url, 'http://fixture');
    if (url.pathname === '/v1/stream') return stream(request, response);
    let body = '';
    for await (const chunk of request) body += chunk;
    const { status, headers, text } = answer(request, url.pathname, url.searchParams, body);
    response.writeHead(status, headers).end(text);
  };
}

const json = (status, value, revision) => ({ status, headers: { 'Content-Type': 'application/json', ...(revision ? { ETag: `"${revision}"` } : {}) }, text: JSON.stringify(value) });
const problem = (status, detail, field = null, problems = null) => ({ status, headers: { 'Content-Type': 'application/problem+json' }, text: JSON.stringify({ type: 'about:blank', status, detail, ...(field ? { field } : {}), ...(problems ? { problems } : {}) }) });

/** Just enough of YAML: members in lines, values in flow style. */
function readRule(text) {
  if (text.trim().startsWith('{')) return JSON.parse(text);
  const rule = {};
  let list = null;
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const item = /^\s+-\s*(.*)$/.exec(line);
    if (item && list) { list.push(flow(item[1])); continue; }
    const [, name, value] = /^(\w[\w-]*):\s*(.*)$/.exec(line) ?? [];
    if (!name) return { problems: [{ line: i + 1, column: 1, field: '', message: 'a member such as id: per-user was expected' }] };
    if (value.includes('token-buket')) return { problems: [{ line: i + 1, column: value.indexOf('token-buket') + name.length + 3, field: 'limit.algorithm', message: "'token-buket' is not known; did you mean token-bucket? Allowed: token-bucket, leaky-bucket, fixed-window, sliding-window, rolling-window, concurrency, adaptive-concurrency" }] };
    try {
      rule[name] = value === '' ? (list = []) : flow(value);
    } catch {
      return { problems: [{ line: i + 1, column: name.length + 3, field: name, message: `'${value}' can't be read here` }] };
    }
  }
  return rule;
}

function flow(text) {
  if (!/^[{["]/.test(text)) return /^\d+$/.test(text) ? Number(text) : text === 'true' ? true : text;
  const quoted = text.replace(/([{,[]\s*|:\s+|^)([A-Za-z0-9/_.][^,{}[\]":]*)/g, (_, before, word) => `${before}${JSON.stringify(word.trim())}`);
  const value = JSON.parse(quoted);
  const numbers = (v) => (typeof v === 'string' && /^\d+$/.test(v) ? Number(v) : v === 'true' ? true : v && typeof v === 'object' ? (Array.isArray(v) ? v.map(numbers) : Object.fromEntries(Object.entries(v).map(([k, m]) => [k, numbers(m)]))) : v);
  return numbers(value);
}

function fields(value, prefix = '') {
  if (value === null || typeof value !== 'object') return [[prefix, String(value)]];
  return Object.entries(value).flatMap(([name, member]) => fields(member, prefix ? `${prefix}.${name}` : name));
}

function diffOf(before, after) {
  const changes = [];
  for (const rule of after) {
    const old = before.find((r) => r.id === rule.id);
    const was = new Map(old ? fields(old) : []);
    const is = new Map(fields(rule));
    const edits = [...new Set([...was.keys(), ...is.keys()])].filter((f) => f !== 'id' && was.get(f) !== is.get(f)).map((field) => ({ field, before: was.get(field) ?? null, after: is.get(field) ?? null }));
    if (!old || edits.length > 0) changes.push({ id: rule.id, change: old ? 'changed' : 'added', fields: edits });
  }
  for (const rule of before) if (!after.some((r) => r.id === rule.id)) changes.push({ id: rule.id, change: 'removed', fields: [] });
  const n = (kind) => changes.filter((c) => c.change === kind).length;
  return { added: n('added'), removed: n('removed'), changed: n('changed'), moved: 0, same: after.length - n('added') - n('changed'), changes, moves: [] };
}

function whatIf(now) {
  const offered = Array.from({ length: 60 }, (_, i) => Math.round(wave(i, 30, 400, 900)));
  return {
    source: { kind: 'recent', from: now - 600_000, to: now, requests: 41_234, replayed: 41_234, weight: 1, unreadable: 0, samples: [], notes: [] },
    before: { allowed: 40_100, denied: 1134, delayed: 0 }, after: { allowed: 38_900, denied: 2334, delayed: 0 }, changedToDenied: 1211, changedToAllowed: 11,
    series: { from: now - 600_000, stepMs: 10_000, offered, deniedBefore: offered.map((n) => Math.round(n / 40)), deniedAfter: offered.map((n) => Math.round(n / 17)) },
    byRule: [{ rule: 'per-user', requestsBefore: 40_000, requestsAfter: 40_000, deniedBefore: 1000, deniedAfter: 2200 }, { rule: 'login', requestsBefore: 900, requestsAfter: 900, deniedBefore: 134, deniedAfter: 134 }],
    callers: Array.from({ length: 12 }, (_, i) => ({ caller: `user:${42 + i * 17}`, requests: 4000 - 300 * i, deniedBefore: 100 - 8 * i, deniedAfter: 600 - 45 * i, firstDeniedAt: now - 500_000 + 9000 * i })),
  };
}
