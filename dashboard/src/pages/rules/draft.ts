import { useEffect, useState } from 'react';
import { listRules, putRule, readRevision, readRule } from '../../api/calls';
import { isAbort } from '../../api/client';
import { Problem } from '../../api/problem';
import type { Changed, Revision } from '../../api/types';
import { useSettled } from '../../ui/useAsk';
import type { Signature } from './Signing';
import { isTemplate } from './template';
import { idIn, toYaml } from '../../yaml/print';

/** The rule as of the start of editing. */
export interface Base {
  /** Null for a new rule. */
  id: string | null;
  text: string;
  revision: number;
}

export type Review =
  | { state: 'unchanged' }
  | { state: 'template' }
  | { state: 'checking' }
  | { state: 'valid'; id: string; result: Changed; text: string }
  | { state: 'invalid'; problem: Problem }
  | { state: 'failed'; problem: Problem }
  | { state: 'conflict'; conflict: Conflict };

/** A concurrent change of the same rule. */
export interface Conflict {
  /** The current text; null if the rule was removed. */
  theirs: string | null;
  revision: number;
  /** The revision that changed it last; null if unknown. */
  by: Revision | null;
}

/**
 * Returns whether only other rules were changed, so that the text still applies to the newest
 * revision.
 */
const isElsewhere = (base: Base, conflict: Conflict) => conflict.theirs === (base.id === null ? null : base.text);

/** Validates a text with a dry run whenever it has not changed for a moment. */
export function useReview(base: Base | null, text: string, mayChange: boolean, round: number, onNewer: (base: Base) => void): Review {
  const settled = useSettled(text, 350);
  const [review, setReview] = useState<Review>({ state: 'unchanged' });
  const same = base !== null && base.id !== null && text === base.text;

  useEffect(() => {
    if (!base || !mayChange || (base.id !== null && settled === base.text)) {
      setReview({ state: 'unchanged' });
      return undefined;
    }
    // Before the text of a new rule has settled for the first time, it is empty.
    if (base.id === null && (isTemplate(settled) || settled === '')) {
      setReview({ state: 'template' });
      return undefined;
    }
    const stop = new AbortController();
    setReview((old) => (old.state === 'unchanged' || old.state === 'template' ? { state: 'checking' } : old));
    const id = base.id ?? idIn(settled) ?? 'unnamed';
    putRule(id, settled, { ifMatch: base.revision, dryRun: true, signal: stop.signal })
      .then(({ body }) => setReview({ state: 'valid', id, result: body, text: settled }))
      .catch(async (cause: unknown) => {
        if (stop.signal.aborted || isAbort(cause)) return;
        const problem = Problem.of(cause);
        if (problem.status === 412) {
          const conflict = await conflictOf(base, stop.signal).catch(() => null);
          if (stop.signal.aborted) return;
          if (conflict && isElsewhere(base, conflict)) onNewer({ ...base, revision: conflict.revision });
          else if (conflict) setReview({ state: 'conflict', conflict });
          else setReview({ state: 'failed', problem });
        } else {
          setReview({ state: problem.status === 400 ? 'invalid' : 'failed', problem });
        }
      });
    return () => stop.abort();
    // onNewer is deliberately not a dependency: it changes with every rendering
  }, [base, settled, mayChange, round]);

  if (same) return { state: 'unchanged' };
  if (base?.id === null && isTemplate(text)) return { state: 'template' };
  if (review.state === 'valid' && review.text !== text) return { state: 'checking' };
  return review;
}

export async function conflictOf(base: Base, signal?: AbortSignal): Promise<Conflict> {
  let theirs: string | null = null;
  let revision: number | null = null;
  if (base.id !== null) {
    try {
      const answer = await readRule(base.id, signal);
      theirs = toYaml(answer.body);
      revision = answer.revision;
    } catch (cause) {
      if (Problem.of(cause).status !== 404) throw cause;
    }
  }
  const newest = revision ?? (await newestRevision(signal));
  const by = base.id === null ? null : await lastToChange(base.id, base.revision, newest, signal).catch(() => null);
  return { theirs, revision: newest, by };
}

const MAX_REVISIONS_SEARCHED = 20;

/**
 * Returns the newest revision after `from` that changed the rule. The latest one may have changed
 * another rule.
 */
async function lastToChange(id: string, from: number, newest: number, signal?: AbortSignal): Promise<Revision | null> {
  for (let number = newest; number > Math.max(from, newest - MAX_REVISIONS_SEARCHED); number--) {
    const { revision, diff } = await readRevision(number, signal);
    if (diff?.changes.some((change) => change.id === id)) return revision;
    // It may be among the changes that are not listed.
    if (!diff || diff.more !== undefined) return null;
  }
  return null;
}

const MAX_ATTEMPTS = 3;

/** Saves a rule, and retries on the newest revision if only other rules were changed. */
export async function saveRule(base: Base, text: string, signature: Signature): Promise<Changed> {
  let { revision } = base;
  for (let attempt = 1; ; attempt++) {
    try {
      return (await putRule(base.id ?? idIn(text) ?? 'unnamed', text, { ifMatch: revision, dryRun: false, ...signature })).body;
    } catch (cause) {
      // A new rule could replace one created concurrently, so it is reviewed first.
      if (Problem.of(cause).status !== 412 || base.id === null || attempt === MAX_ATTEMPTS) throw cause;
      const conflict = await conflictOf({ ...base, revision });
      if (!isElsewhere(base, conflict)) throw cause;
      revision = conflict.revision;
    }
  }
}

export async function newestRevision(signal?: AbortSignal): Promise<number> {
  return (await listRules({ limit: 1 }, signal)).revision;
}
