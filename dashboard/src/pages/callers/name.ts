import type { Subject } from '../../api/types';

/** The beginning of the caller name of requests without identifying attributes. */
const UNNAMED = '(unnamed';

/**
 * Returns the attributes that a caller's name denotes, as a rule matches them: `user=42` is an attribute, anything else is
 * a bare key. Null for unnamed callers. The value of an IPv6 caller is its block of addresses, a /64.
 */
export function identityOf(caller: string): Subject | null {
  if (caller.startsWith(UNNAMED)) return null;
  const [, name, value] = /^([\w.-]+)=(.*)$/s.exec(caller) ?? [];
  return name === undefined || value === undefined ? { key: caller } : { [name]: value };
}

/** Returns the attributes of a request of this caller. An IPv6 /64 is represented by its first address. */
export function subjectOf(caller: string): Subject | null {
  const identity = identityOf(caller);
  if (identity === null) return null;
  return Object.fromEntries(Object.entries(identity).map(([name, value]) => [name, name === 'key' ? value : value.replace(/(:.*)\/64$/, '$1')]));
}

/** Returns the name of the caller that has one identifying attribute. */
export function callerText(identity: Subject): string {
  const [[name, value] = ['key', '']] = Object.entries(identity);
  return name === 'key' ? value : `${name}=${value}`;
}
