import type { Decision } from "./client.js";
import type { components } from "./openapi.js";

type Schemas = components["schemas"];
type Granted = Decision & Partial<Schemas["Reservation"]>;

/** Permits by the name of the cost. */
export type Costs = Readonly<Schemas["Costs"]>;

/** The status is unavailable if the service did not answer; `failure` says why. */
type OrUnavailable<T extends { status: string }> = Omit<T, "status"> & { status: T["status"] | "unavailable"; failure?: string };

/** The state of a reservation after an update. */
export type ReservationUpdate = OrUnavailable<Schemas["ReservationUpdate"]>;

/** What a settlement charged and returned; a repetition has the same. */
export type Settled = OrUnavailable<Schemas["Settled"]>;

/** The settings of an update. */
export interface UpdateOptions {
  /** The usage of limits without a named cost. */
  cost?: number;
  /** Permits to add: all of them, or none. */
  more?: Costs;
}

/** The client's part of a reservation. */
interface Connection {
  exchange(method: string, path: string, body: string | undefined, repeat: boolean): Promise<Readonly<Record<string, unknown>>>;
  /** Returns what the failure mode decides, or throws a rejection. */
  failed(problem: unknown): Decision;
}

/**
 * The decision on a reservation, with the permits that the service holds. Disposing of it settles the usage that was last
 * reported, or cancels if none was, unless it was settled or cancelled before.
 *
 * Under fail-open, the reservation of an unavailable service is allowed and not backed: updates let the request continue,
 * and settling and cancelling do nothing.
 */
export class Reservation {
  /** By which any process may continue the reservation; undefined if it was denied or is not backed. */
  readonly id: string | undefined;
  /** The permits that the service holds; fewer than requested if the rule bounds them. */
  readonly reserved: Costs;
  /** In milliseconds since 1970, by the clock of the service. An update returns a later time. */
  readonly expiresAtMs: number | undefined;
  readonly #connection: Connection;
  #used: { actual: Costs; cost: number | undefined } | undefined;
  #ended = false;

  /** Made by `reserve` and `reservation` of a client. */
  constructor(readonly decision: Granted, connection: Connection) {
    this.id = decision.id;
    this.reserved = decision.reserved ?? {};
    this.expiresAtMs = decision.expiresAtMs;
    this.#connection = connection;
  }

  get allowed(): boolean {
    return this.decision.allowed;
  }

  /** Whether the service holds permits for the request. */
  get backed(): boolean {
    return this.allowed && this.decision.failure === undefined;
  }

  /** Reports the usage since the beginning and extends the expiry. The failure mode decides if the service is unavailable. */
  async update(used: Costs, options: UpdateOptions = {}): Promise<ReservationUpdate> {
    const { cost, more } = options;
    this.#used = { actual: { ...used }, cost };
    const reply = await this.#send("PATCH", "", { used, cost, more }, (body) => typeof body["continue"] === "boolean");
    return (reply.failed ? { continue: reply.failed.allowed, ...this.#failure(reply.failed) } : reply.body) as ReservationUpdate;
  }

  /** Charges the real cost and returns the rest. Sent again, once, if the response is lost. */
  async settle(actual: Costs, options: { cost?: number | undefined } = {}): Promise<Settled> {
    this.#ended = true;
    const reply = await this.#send("POST", "/settle", { actual, cost: options.cost }, (body) => typeof body["status"] === "string");
    return (reply.failed ? this.#failure(reply.failed) : reply.body) as Settled;
  }

  /** Returns everything. Sent again, once, if the response is lost. If the service is unavailable, the reservation expires. */
  async cancel(): Promise<void> {
    this.#ended = true;
    await this.#send("DELETE", "", undefined, () => true);
  }

  /** Ends the reservation as disposing of it does. Ignores failures: the reservation expires. */
  async close(): Promise<void> {
    if (!this.backed || this.#ended) return;
    const used = this.#used;
    await (used ? this.settle(used.actual, { cost: used.cost }) : this.cancel()).catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #failure({ failure }: Decision) {
    return { status: this.backed ? "unavailable" : "local", failure };
  }

  /** All but updates are idempotent by the id, so that they may be repeated. */
  async #send(method: string, suffix: string, body: object | undefined, valid: (body: Readonly<Record<string, unknown>>) => boolean) {
    if (!this.allowed) throw new Error("the reservation was denied, so that there is nothing to update or settle; check allowed");
    if (!this.backed) return { failed: this.decision };
    const path = `/v1/reservations/${encodeURIComponent(this.id ?? "")}${suffix}`;
    const text = body && JSON.stringify(body);
    try {
      const reply = await this.#connection.exchange(method, path, text, method !== "PATCH");
      if (!valid(reply)) throw new Error("it replied with a body that is not that of a reservation");
      return { body: reply };
    } catch (e) {
      return { failed: this.#connection.failed(e) };
    }
  }
}

/** Throws if an allowed decision has no reservation. */
export function requireReservation(decision: Granted): void {
  const { id, reserved, expiresAtMs } = decision;
  const amounts: unknown[] = typeof reserved === "object" && reserved !== null ? Object.values(reserved) : [undefined];
  if (typeof id === "string" && id && typeof expiresAtMs === "number" && amounts.every(Number.isInteger)) return;
  throw new Error("it replied with a body that is not a reservation");
}
