import type { Subject } from '../../api/types';

/** What requests are called that say nothing about who asks. */
const NOBODY = '(unnamed)';

/**
 * The attributes that a caller's name tells: `user=42` is an attribute, anything else is a bare key. Null for those who
 * have no name. The /64 that an IPv6 address stands for is asked about by its first address.
 */
export function subjectOf(caller: string): Subject | null {
  if (caller === NOBODY) return null;
  const [, name, value] = /^([\w.-]+)=(.*)$/s.exec(caller) ?? [];
  if (name === undefined || value === undefined) return { key: caller };
  return { [name]: value.replace(/(:.*)\/64$/, '$1') };
}
