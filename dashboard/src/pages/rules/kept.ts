// Unsaved drafts, one for each rule, stored until the tab is closed.

import type { Base } from './draft';

export interface Draft {
  /** The rule that was edited. */
  base: Base;
  text: string;
  /** Time of the last edit. */
  at: number;
}

/** A new rule has no id. */
const keyOf = (id: string | null) => `headgate.draft:${id ?? ''}`;

export function keepDraft(id: string | null, draft: Draft) {
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(draft));
  } catch {
    // storage is full; the text is still in the editor
  }
}

export const dropDraft = (id: string | null) => sessionStorage.removeItem(keyOf(id));

export function keptDraft(id: string | null): Draft | null {
  const text = sessionStorage.getItem(keyOf(id));
  if (text === null) return null;
  try {
    const draft = JSON.parse(text) as Partial<Draft>;
    const whole = typeof draft.text === 'string' && typeof draft.base?.text === 'string' && typeof draft.at === 'number';
    return whole ? (draft as Draft) : null;
  } catch {
    return null;
  }
}
