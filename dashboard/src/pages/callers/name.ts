import type { Subject } from '../../api/types';

/** The begin of the caller name of requests without identifying attributes. */
const UNNAMED = '(unnamed:';

/**
 * Returns the attributes that a caller's name denotes: `user=42` is an attribute, anything else is
 * a bare key. Null for unnamed callers. An IPv6 /64 is represented by its first address.
 */
export function subjectOf(caller: string): Subject | null {
  if (caller.startsWith(UNNAMED)) return null;
  const [, name, value] = /^([\w.-]+)=(.*)$/s.exec(caller) ?? [];
  if (name === undefined || value === undefined) return { key: caller };
  return { [name]: value.replace(/(:.*)\/64$/, '$1') };
}
