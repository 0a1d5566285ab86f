// The algorithms, roughly, for the made-up service. The real ones are the service's.

function arrivals({ durationMs, traffic }) {
  const times = [];
  const steady = (perSecond) => { for (let t = 0; perSecond > 0 && t < durationMs; t += 1000 / perSecond) times.push(t); };
  const burst = (at) => { for (let i = 0; i < traffic.burst; i++) times.push(at); };
  switch (traffic.kind) {
    case 'bursts':
      for (let t = 0; t < durationMs; t += traffic.everyMs) burst(t);
      steady(traffic.perSecond);
      break;
    case 'edges':
      for (let t = traffic.everyMs; t <= durationMs; t += traffic.everyMs) { burst(t - 1); if (t < durationMs) burst(t); }
      steady(traffic.perSecond);
      break;
    case 'ramp':
      for (let i = 0; ; i++) { const t = Math.sqrt((i + 0.5) * 2 * durationMs * 1000 / Math.max(traffic.perSecond, 0.001)); if (t >= durationMs) break; times.push(t); }
      break;
    case 'random': {
      let seed = traffic.seed || 1;
      const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
      for (let t = 0; traffic.perSecond > 0; ) { t += (-Math.log(next()) * 1000) / traffic.perSecond; if (t >= durationMs) break; times.push(t); }
      break;
    }
    case 'drawn':
      traffic.drawn.forEach((n, s) => { for (let i = 0; i < n; i++) times.push(s * 1000 + (i * 1000) / n); });
      break;
    case 'times':
      times.push(...traffic.times);
      break;
    default:
      steady(traffic.perSecond ?? 20);
  }
  return times.sort((a, b) => a - b);
}

function decider(limit) {
  const [, n, w] = /^(\d+)\/(\d+)s$/.exec(limit.rate) ?? [0, 100, 10];
  const most = Number(n), windowMs = Number(w) * 1000, gap = windowMs / most;
  let debt = 0, last = 0, log = [], window = -1, counted = 0;
  const drain = (t) => { debt = Math.max(0, debt - (t - last)); last = t; };
  const decide = {
    'token-bucket': (t) => { drain(t); if (debt + gap > limit.burst * gap + 1e-6) return null; debt += gap; return 0; },
    'leaky-bucket': (t) => { drain(t); const wait = debt; const room = limit.mode === 'reject' ? 0 : limit.queue * gap; if (wait > room + 1e-6) return null; debt += gap; return wait; },
    'fixed-window': (t) => { const now = Math.floor(t / windowMs); if (now !== window) { window = now; counted = 0; } if (counted >= most) return null; counted++; return 0; },
    'rolling-window': (t) => { log = log.filter((s) => s > t - windowMs); if (log.length >= most) return null; log.push(t); return 0; },
  };
  decide['sliding-window'] = (t) => { const span = limit.bound === 'conservative' ? windowMs * 1.1 : windowMs * 0.95; log = log.filter((s) => s > t - span); if (log.length >= most) return null; log.push(t); return 0; };
  return { most, windowMs, decide: decide[limit.algorithm] };
}

export function runTrial(request) {
  const times = arrivals(request).slice(0, 20_000);
  const stepMs = 500, steps = Math.ceil(request.durationMs / stepMs);
  const zeros = () => Array(steps).fill(0);
  const offered = zeros();
  times.forEach((t) => offered[Math.min(steps - 1, Math.floor(t / stepMs))]++);
  const results = request.limits.map(({ name, limit }) => {
    const { most, windowMs, decide } = decider(limit);
    const r = { admitted: zeros(), denied: zeros(), delayed: zeros(), queue: zeros() };
    const passed = [], waits = [];
    for (const t of times) {
      const step = Math.min(steps - 1, Math.floor(t / stepMs));
      const wait = decide(t);
      if (wait === null) { r.denied[step]++; continue; }
      passed.push(t + wait);
      waits.push(wait);
      if (wait > 0) { r.delayed[step]++; r.queue[step] = Math.max(r.queue[step], wait); } else r.admitted[step]++;
    }
    passed.sort((a, b) => a - b);
    let peak = 0;
    for (let i = 0, j = 0; i < passed.length; i++) { while (passed[i] - passed[j] >= windowMs) j++; peak = Math.max(peak, i - j + 1); }
    waits.sort((a, b) => a - b);
    const total = (list) => list.reduce((a, b) => a + b, 0);
    return { name, algorithm: limit.algorithm, ...r, totals: { admitted: total(r.admitted), denied: total(r.denied), delayed: total(r.delayed) }, maxInWindow: { windowMs, admitted: peak, limit: most }, delay: { p50Ms: waits[Math.floor(waits.length / 2)] ?? 0, p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0, maxMs: waits.at(-1) ?? 0 }, stateBytes: limit.algorithm === 'rolling-window' ? 8 * most : 36, first: [] };
  });
  return { durationMs: request.durationMs, stepMs, offered, requests: times.length, truncated: false, results };
}
