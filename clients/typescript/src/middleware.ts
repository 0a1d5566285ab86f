import { Slot, type Headgate, type Subject } from "./client.js";

/** The part of a request that the middleware reads; those of Express, Connect and node:http have it. */
export interface MiddlewareRequest {
  method?: string | undefined;
  url?: string | undefined;
  socket: { remoteAddress?: string | undefined };
}

/** The part of a response that the middleware uses. */
export interface MiddlewareResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
  once(event: "close", listener: () => void): unknown;
}

function standardSubject(request: MiddlewareRequest): Subject {
  const ip = request.socket.remoteAddress;
  const path = (request.url ?? "/").replace(/[?#].*$/s, "");
  return { path, method: request.method ?? "GET", ...(ip === undefined ? {} : { ip }) };
}

/**
 * Returns a middleware for Express and Connect. It answers 429 with Retry-After if a request is denied, and holds its
 * slots until the response is closed.
 *
 * @param subject describes a request, or returns undefined if it is not limited; path, method and ip by default
 */
export function limit<R extends MiddlewareRequest>(
  client: Headgate,
  subject: (request: R) => Subject | undefined = standardSubject,
) {
  return async (request: R, response: MiddlewareResponse, next: (error?: unknown) => void): Promise<void> => {
    try {
      const who = subject(request);
      if (who === undefined) return next();
      let closed = false;
      response.once("close", () => (closed = true));
      const slot = new Slot(client, await client.check(who)); // acquires slots, too, and repeats cached denials
      if (slot.allowed) {
        if (closed) return await slot.release();
        response.once("close", () => void slot.release());
        return next();
      }
      const { retryAfterMs, violated } = slot.decision;
      const retry = retryAfterMs === null ? {} : { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) };
      response.writeHead(429, { "Content-Type": "application/problem+json", "Cache-Control": "no-store", ...retry });
      const type = "https://iana.org/assignments/http-problem-types#quota-exceeded";
      response.end(JSON.stringify({ type, title: "Quota exceeded", status: 429, "violated-policies": violated }));
    } catch (e) {
      next(e);
    }
  };
}
