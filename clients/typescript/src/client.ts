import type { components } from "./openapi.js";
import { requireReservation, Reservation, type Costs } from "./reservation.js";

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
  costs?: Costs;
  deadlineMs?: number;
  failOpen?: boolean;
}

/** The settings of a reservation. The deadline and the failure mode are for its later calls, too. */
export type ReserveOptions = CallOptions & Pick<components["schemas"]["ReservationRequest"], "ttlMs">;

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

/** A body that exceeds the bound. */
class TooLong extends Error {}

/**
 * Asks a service. No request is repeated, since one without a response may have been charged. The exceptions are a
 * settlement and a cancellation of a reservation, which the service executes once.
 */
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
    await this.#exchange("DELETE", `/v1/slots/${encodeURIComponent(id)}`, undefined, {}).catch(() => {});
  }

  /** Charges usage after the fact, even beyond the limits. If there is a `failure`, it may not be charged. */
  reportUsage(subject: Subject, options: CallOptions = {}): Promise<Decision> {
    return this.#decide("/v1/usage", subject, options);
  }

  /** Reserves an estimate of the costs of a request: `await using reservation = await client.reserve(…)`. */
  async reserve(subject: Subject, options: ReserveOptions = {}): Promise<Reservation> {
    return this.#reservation(await this.#decide("/v1/reservations", subject, options), options);
  }

  /** Returns a reservation that another process has made, by its id. Sends nothing. */
  reservation(id: string): Reservation {
    return this.#reservation({ ...withoutLimit(true, "store"), id }, {});
  }

  #reservation(decision: Decision, options: CallOptions): Reservation {
    return new Reservation(decision, {
      exchange: (method, path, body, repeat) => this.#exchange(method, path, body, options, repeat),
      failed: (problem) => this.#failed(problem, options),
    });
  }

  async #decide(path: string, subject: Subject, options: ReserveOptions): Promise<Decision> {
    const who = typeof subject === "string" ? { key: subject } : { subject };
    const { cost, costs, ttlMs } = options;
    const reserves = path === "/v1/reservations";
    const body = JSON.stringify({ ...who, cost: cost ?? 1, costs: costs ?? undefined, ttlMs: reserves ? ttlMs : undefined });
    const cache = path === "/v1/check" && this.#options.maxDenialAgeMs > 0;
    const sent = performance.now(); // the retry time counts from before the request, so that it is never too long
    const repeated = cache ? this.#repeated(body, sent) : undefined;
    if (repeated) return repeated;
    try {
      const decision = decisionOf(await this.#exchange("POST", path, body, options));
      if (reserves && decision.allowed) requireReservation(decision);
      if (cache) this.#remember(body, decision, sent);
      return decision;
    } catch (e) {
      return this.#failed(e, options);
    }
  }

  /** Sends a request, and again, once, if the response is lost and the request may be repeated. */
  async #exchange(method: string, path: string, body: string | undefined, options: CallOptions, repeat = false) {
    const signal = AbortSignal.timeout(options.deadlineMs ?? this.#options.deadlineMs);
    const sent = this.#send(method, path, body, signal).catch((e: unknown) => {
      if (!repeat || signal.aborted || e instanceof TooLong) throw e;
      return this.#send(method, path, body, signal);
    });
    const { status, text } = await sent;
    return parse(status, text);
  }

  async #send(method: string, path: string, body: string | undefined, signal: AbortSignal) {
    const headers: Record<string, string> = {};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.#token !== undefined) headers["Authorization"] = `Bearer ${this.#token}`;
    const response = await this.#options.fetch(this.#url + path, {
      method,
      headers,
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await bounded(response) };
  }

  #failed(problem: unknown, options: CallOptions): Decision {
    if (problem instanceof HeadgateRejected) throw problem;
    const allowed = options.failOpen ?? this.#options.failOpen;
    const cause = problem instanceof Error && problem.cause instanceof Error ? `: ${problem.cause.message}` : "";
    const failure = `${this.#url} failed: ${problem instanceof Error ? problem.message : String(problem)}${cause}`;
    return { ...withoutLimit(allowed, "fallback"), failure };
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

/** Returns the body of a response, or throws if it is a rejection or none of the service. */
function parse(status: number, text: string): Readonly<Record<string, unknown>> {
  const reply: unknown = text === "" ? {} : JSON.parse(text);
  const body = (typeof reply === "object" && reply !== null ? reply : {}) as Record<string, unknown>;
  if ((status >= 200 && status < 300) || typeof body["allowed"] === "boolean") return body;
  if (status >= 400 && status < 500 && typeof body["detail"] === "string") {
    throw new HeadgateRejected(status, body["detail"].slice(0, 300));
  }
  throw new Error(`it replied ${status}, which is not a response of Headgate`);
}

function withoutLimit(allowed: boolean, source: Decision["source"]): Decision {
  return {
    allowed, rule: null, limit: null, remaining: null, retryAfterMs: allowed ? 0 : 1000, resetAfterMs: null, delayMs: 0,
    source, violated: [], limits: [],
  };
}

function decisionOf(body: Partial<Decision>): Decision {
  if (typeof body.allowed === "boolean" && typeof body.source === "string" && Array.isArray(body.limits)) {
    return body as Decision;
  }
  throw new Error("it replied with a body that is not a decision");
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
      throw new TooLong(`it replied with more than ${MAX_RESPONSE} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
