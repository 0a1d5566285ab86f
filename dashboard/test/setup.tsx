import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';

export interface Sent {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: string;
}

// A busy machine takes longer than the default of one second.
configure({ asyncUtilTimeout: 20_000 });

type Answerer = (sent: Sent) => Response | Promise<Response> | undefined;

export const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

export const problem = (status: number, detail: string, more: Record<string, unknown> = {}) =>
  new Response(JSON.stringify({ type: 'about:blank', status, detail, ...more }), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  });

/** Replaces the network and records requests. Requests without a handler get a 404. */
export function network(answer: Answerer): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    const url = new URL(address, 'http://service');
    const one: Sent = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: new Headers(init.headers),
      body: String(init.body ?? ''),
    };
    sent.push(one);
    const answered = await answer(one);
    if (init.signal?.aborted) throw new DOMException('aborted', 'AbortError');
    return answered ?? problem(404, `there is no endpoint ${url.pathname}`);
  });
  return sent;
}

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  window.location.hash = '';
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});
