import { useSyncExternalStore } from 'react';

/**
 * The current route: `#/rules/per-user?x=1` has the parts `rules` and `per-user`, and the parameter
 * x.
 */
export interface Route {
  parts: string[];
  query: URLSearchParams;
}

export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  return { parts, query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function href(parts: string[], query?: Record<string, string>): string {
  const path = `#/${parts.map(encodeURIComponent).join('/')}`;
  const text = query ? new URLSearchParams(query).toString() : '';
  return text ? `${path}?${text}` : path;
}

export const go = (to: string) => {
  window.location.hash = to;
};

/** Changes the address without a new entry in the history. */
export const replaceHash = (to: string) => window.history.replaceState(null, '', to);

const subscribe = (listener: () => void) => {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
};

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return parseHash(hash);
}
