// What was written and not saved, a text for each rule, for as long as the tab is open.

import type { Base } from './draft';

export interface Kept {
  /** What was changed. */
  base: Base;
  text: string;
  /** When. */
  at: number;
}

/** A rule that is not there yet has no id. */
const keyOf = (id: string | null) => `headgate.draft:${id ?? ''}`;

export function keepDraft(id: string | null, draft: Kept) {
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(draft));
  } catch {
    // no room: it is in the editor all the same
  }
}

export const dropDraft = (id: string | null) => sessionStorage.removeItem(keyOf(id));

export function keptDraft(id: string | null): Kept | null {
  const text = sessionStorage.getItem(keyOf(id));
  if (text === null) return null;
  try {
    const draft = JSON.parse(text) as Partial<Kept>;
    const whole = typeof draft.text === 'string' && typeof draft.base?.text === 'string' && typeof draft.at === 'number';
    return whole ? (draft as Kept) : null;
  } catch {
    return null;
  }
}
