import type { components } from "./openapi.js";

/** A key, or a set of attributes. */
export type Subject = string | Readonly<Record<string, string>>;

/** The settings of a client. */
export interface Options {
  /** The check token; none by default. */
  token?: string;
  /** How long a call may take, in milliseconds; 250 by default. */
  deadlineMs?: number;
  /** Whether requests are allowed while the service is unavailable; true by default. */
  failOpen?: boolean;
  /** For how long a denial is repeated, at most until its retry time; 1000 by default, 0 disables it. */
  maxDenialAgeMs?: number;
  /** The function that sends requests; the global fetch by default. */
  fetch?: typeof fetch;
}

/** The settings of one call. */
export interface CallOptions {
  cost?: number;
  costs?: Readonly<Record<string, number>>;
  deadlineMs?: number;
  failOpen?: boolean;
}

/** The state of one limit. */
export type Limit = components["schemas"]["Limit"];

/** The decision on one request. */
export type Decision = components["schemas"]["Decision"] & {
  /** Why the service did not decide; absent if it did. */
  failure?: string;
};

const MAX_RESPONSE = 1 << 20;
const MAX_DENIALS = 10_000;
/** The algorithms whose denials end by time alone, so that they may be repeated until then. */
const TIMED = new Set(["token-bucket", "leaky-bucket", "fixed-window", "sliding-window", "rolling-window", "deny"]);

/**
 * Thrown if the service rejects a request as invalid or not permitted, in every failure mode: a wrong token must
 * not let requests pass. Nothing was charged.
 */
export class HeadgateRejected extends Error {
  constructor(readonly status: number, detail: string) {
    super(`the service replied ${status}: ${detail}`);
    this.name = "HeadgateRejected";
  }
}

interface Denial {
  decision: Decision;
  expires: number;
  retryAt: number;
}

/** Asks a service. No request is repeated, since one without a response may have been charged. */
export class Headgate {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #options: Required<Omit<Options, "token">>;
  readonly #denials = new Map<string, Denial>();

  /** @param url the address of the service, such as https://headgate.internal:8080 */
  constructor(url: string, options: Options = {}) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) {
      throw new TypeError("the URL must be like https://headgate.internal:8080, without user and password");
    }
    if (options.token !== undefined && !/^[!-~]+$/.test(options.token)) {
      throw new TypeError("a token consists of visible ASCII characters");
    }
    this.#url = url.replace(/\/+$/, "");
    this.#token = options.token;
    this.#options = {
      deadlineMs: options.deadlineMs ?? 250,
      failOpen: options.failOpen ?? true,
      maxDenialAgeMs: options.maxDenialAgeMs ?? 1000,
      fetch: options.fetch ?? ((...args) => fetch(...args)),
    };
  }

  /** Decides a request and charges it if it is allowed. */
  check(subject: Subject, options: CallOptions = {}): Promise<Decision> {
    return this.#decide("/v1/check", subject, options);
  }

  /** Decides like check and charges nothing. */
  peek(subject: Subject, options: CallOptions = {}): Promise<Decision> {
    return this.#decide("/v1/peek", subject, options);
  }

  /** Decides like check and acquires a slot of each concurrency limit: `await using slot = await client.acquire(…)`. */
  async acquire(subject: Subject, options: CallOptions = {}): Promise<Slot> {
    return new Slot(this, await this.#decide("/v1/slots", subject, options));
  }

  /** Releases a slot. Ignores an unavailable service: the slot expires. */
  async release(id: string): Promise<void> {
    await this.#send("DELETE", `/v1/slots/${encodeURIComponent(id)}`, undefined, this.#options.deadlineMs).catch(() => {});
  }

  async #decide(path: string, subject: Subject, options: CallOptions): Promise<Decision> {
    const who = typeof subject === "string" ? { key: subject } : { subject };
    const body = JSON.stringify({ ...who, cost: options.cost ?? 1, ...(options.costs ? { costs: options.costs } : {}) });
    const cache = path === "/v1/check" && this.#options.maxDenialAgeMs > 0;
    const sent = performance.now(); // the retry time counts from before the request, so that it is never too long
    const repeated = cache ? this.#repeated(body, sent) : undefined;
    if (repeated) return repeated;
    try {
      const { status, text } = await this.#send("POST", path, body, options.deadlineMs ?? this.#options.deadlineMs);
      const decision = parse(status, text);
      if (cache) this.#remember(body, decision, sent);
      return decision;
    } catch (e) {
      if (e instanceof HeadgateRejected) throw e;
      return this.#failed(e, options.failOpen ?? this.#options.failOpen);
    }
  }

  async #send(method: string, path: string, body: string | undefined, deadlineMs: number) {
    const headers: Record<string, string> = {};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.#token !== undefined) headers["Authorization"] = `Bearer ${this.#token}`;
    const response = await this.#options.fetch(this.#url + path, {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(deadlineMs),
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await bounded(response) };
  }

  #failed(problem: unknown, allowed: boolean): Decision {
    const cause = problem instanceof Error && problem.cause instanceof Error ? `: ${problem.cause.message}` : "";
    const failure = `${this.#url} failed: ${problem instanceof Error ? problem.message : String(problem)}${cause}`;
    return {
      allowed, rule: null, limit: null, remaining: null, retryAfterMs: allowed ? 0 : 1000, resetAfterMs: null, delayMs: 0,
      source: "fallback", violated: [], limits: [], failure,
    };
  }

  #repeated(body: string, now: number): Decision | undefined {
    const found = this.#denials.get(body);
    if (!found) return undefined;
    if (now >= found.expires) {
      this.#denials.delete(body);
      return undefined;
    }
    const left = found.decision.retryAfterMs === null ? null : Math.ceil(found.retryAt - now);
    return { ...found.decision, source: "cache", retryAfterMs: left };
  }

  #remember(body: string, decision: Decision, sent: number): void {
    if (decision.allowed || decision.impossible || decision.source === "fallback") return;
    if (!decision.limits.every((limit) => TIMED.has(limit.algorithm))) return;
    const retryAt = sent + (decision.retryAfterMs ?? Infinity);
    this.#denials.delete(body); // so that it becomes the youngest
    this.#denials.set(body, { decision, retryAt, expires: Math.min(sent + this.#options.maxDenialAgeMs, retryAt) });
    if (this.#denials.size > MAX_DENIALS) this.#denials.delete(this.#denials.keys().next().value as string);
  }
}

/** The decision on a request, with the slots that it acquired. Disposing of it releases them. */
export class Slot {
  #released = false;

  constructor(private readonly client: Headgate, readonly decision: Decision) {}

  get allowed(): boolean {
    return this.decision.allowed;
  }

  /** Releases the slots; later calls have no effect. */
  async release(): Promise<void> {
    if (this.#released || this.decision.id === undefined) return;
    this.#released = true;
    await this.client.release(this.decision.id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

function parse(status: number, text: string): Decision {
  const reply: unknown = JSON.parse(text);
  const body = (typeof reply === "object" && reply !== null ? reply : {}) as Partial<Decision> & { detail?: unknown };
  if (typeof body.allowed === "boolean" && typeof body.source === "string" && Array.isArray(body.limits)) {
    return body as Decision;
  }
  if (status >= 400 && status < 500 && typeof body.detail === "string") {
    throw new HeadgateRejected(status, body.detail.slice(0, 300));
  }
  throw new Error(`it replied ${status}, which is not a response of Headgate`);
}

/** Reads a body, and fails as soon as it is too long. */
async function bounded(response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > MAX_RESPONSE) {
      await reader.cancel();
      throw new Error(`it replied with more than ${MAX_RESPONSE} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
