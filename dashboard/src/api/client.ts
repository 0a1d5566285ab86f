import { Problem } from './problem';
import { session, tokenRefused } from './session';

export interface Asked {
  method?: string;
  query?: Record<string, string | number | boolean | null | undefined>;
  json?: unknown;
  yaml?: string;
  accept?: string;
  ifMatch?: number | null;
  message?: string;
  author?: string;
  signal?: AbortSignal;
}

export interface Answer<T> {
  body: T;
  /** The revision in the ETag, if there is one. */
  revision: number | null;
  status: number;
}

export function address(path: string, query: Asked['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

export function headers(asked: Asked = {}): Headers {
  const all = new Headers({ Accept: asked.accept ?? 'application/json' });
  const token = session.token();
  if (token) all.set('Authorization', `Bearer ${token}`);
  if (asked.json !== undefined) all.set('Content-Type', 'application/json');
  if (asked.yaml !== undefined) all.set('Content-Type', 'application/yaml');
  if (asked.ifMatch != null) all.set('If-Match', `"${asked.ifMatch}"`);
  if (asked.message) all.set('X-Headgate-Message', encodeURIComponent(asked.message));
  if (asked.author) all.set('X-Headgate-Author', encodeURIComponent(asked.author));
  return all;
}

/** Sends a request. Throws a Problem or, when aborted, the AbortError. */
export async function ask<T>(path: string, asked: Asked = {}): Promise<Answer<T>> {
  const body = asked.json !== undefined ? JSON.stringify(asked.json) : asked.yaml;
  const init: RequestInit = { method: asked.method ?? 'GET', headers: headers(asked), cache: 'no-store' };
  if (body !== undefined) init.body = body;
  if (asked.signal) init.signal = asked.signal;
  let response: Response;
  try {
    response = await fetch(address(path, asked.query), init);
  } catch (cause) {
    if (isAbort(cause)) throw cause;
    throw Problem.unreachable(cause);
  }
  if (!response.ok) {
    if (response.status === 401) tokenRefused();
    throw await Problem.from(response);
  }
  const text = await response.text();
  const isJson = (response.headers.get('Content-Type') ?? '').includes('json');
  return {
    body: (isJson ? JSON.parse(text) : text) as T,
    revision: revisionOf(response.headers.get('ETag')),
    status: response.status,
  };
}

export const isAbort = (cause: unknown) => cause instanceof Error && cause.name === 'AbortError';

function revisionOf(tag: string | null): number | null {
  const digits = tag && /^(?:W\/)?"(\d+)"$/.exec(tag);
  return digits ? Number(digits[1]) : null;
}
