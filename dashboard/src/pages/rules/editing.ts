import { useEffect, useState } from 'react';
import { readRule } from '../../api/calls';
import { isAbort } from '../../api/client';
import { Problem } from '../../api/problem';
import type { Subject } from '../../api/types';
import { newestRevision, type Base } from './draft';
import { dropDraft, keepDraft, keptDraft, type Draft } from './kept';
import { toYaml } from '../../yaml/print';
import { TEMPLATE } from './template';
import { withOverrideFor } from './overrides';

/** A rule as it was loaded, and its current text in the editor. */
export interface Editing {
  base: Base | null;
  text: string;
}

export const isTouched = ({ base, text }: Editing) => base !== null && text !== base.text;

/**
 * Applies a reload. Edited text is never replaced: if the rule changed underneath, the old base
 * stays and the review reports the conflict.
 */
export function reloaded(now: Editing, loaded: Base): Editing {
  const { base } = now;
  if (base === null) return { base: loaded, text: loaded.text };
  // From an instance that has not loaded the latest revision yet.
  if (loaded.revision < base.revision) return now;
  if (!isTouched(now)) return { base: loaded, text: loaded.text };
  return loaded.revision === base.revision ? { base: loaded, text: now.text } : now;
}

/** Restores a draft, on the loaded base if it is unchanged, otherwise on the base of the draft. */
export function restored(draft: Draft, base: Base): Editing {
  return { base: draft.base.text === base.text ? base : draft.base, text: draft.text };
}

/** Begins a draft with an override for a caller. */
function prepared(base: Base, caller: Subject): Editing {
  return { base, text: withOverrideFor(base.text, caller) };
}

async function read(id: string | null, signal: AbortSignal): Promise<Base> {
  if (id === null) return { id, text: TEMPLATE, revision: await newestRevision(signal) };
  const { body, revision } = await readRule(id, signal);
  return { id, text: toYaml(body), revision: revision ?? 0 };
}

/**
 * Loads a rule, and stores its edited text as a draft. If attributes of a caller are given, the draft begins with an
 * override for that caller.
 */
export function useEditing(id: string | null, mayChange: boolean, overrideFor: Subject | null = null) {
  const [editing, setEditing] = useState<Editing>({ base: null, text: '' });
  const [offer, setOffer] = useState<Draft | null>(() => (mayChange ? keptDraft(id) : null));
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  const { base, text } = editing;
  const touched = isTouched(editing);

  useEffect(() => {
    const stop = new AbortController();
    read(id, stop.signal)
      .then((loaded) => {
        if (stop.signal.aborted) return;
        setEditing((now) => (now.base === null && mayChange && overrideFor ? prepared(loaded, overrideFor) : reloaded(now, loaded)));
        setOffer((old) => (old?.text === loaded.text ? null : old));
        setProblem(null);
      })
      .catch((cause: unknown) => {
        if (!stop.signal.aborted && !isAbort(cause)) setProblem(Problem.of(cause));
      });
    return () => stop.abort();
  }, [id, round]);

  useEffect(() => {
    if (!mayChange || base === null || offer !== null) return;
    if (touched) keepDraft(id, { base, text, at: Date.now() });
    else dropDraft(id);
  }, [id, mayChange, base, text, touched, offer]);

  useEffect(() => {
    if (!mayChange || !touched) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [mayChange, touched]);

  return {
    base,
    text,
    touched,
    problem,
    /** An unsaved draft, until the user restores or discards it. */
    offer,
    load: () => setRound((n) => n + 1),
    write: (newText: string) => setEditing((now) => ({ ...now, text: newText })),
    /** Changes the base and keeps the text. */
    rebase: (next: Base) => setEditing((now) => ({ ...now, base: next })),
    replace: (next: Base, newText: string) => setEditing({ base: next, text: newText }),
    restore: () => {
      if (offer && base) setEditing(restored(offer, base));
      setOffer(null);
    },
    drop: () => setOffer(null),
  };
}
