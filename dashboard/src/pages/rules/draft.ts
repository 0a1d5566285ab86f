import { useEffect, useState } from 'react';
import { listRules, putRule, readRevision, readRule } from '../../api/calls';
import { isAbort } from '../../api/client';
import { Problem } from '../../api/problem';
import type { Changed, Revision } from '../../api/types';
import { useSettled } from '../../ui/useAsk';
import type { Signature } from './Signing';
import { idIn, toYaml } from './yaml';

/** A rule as it was when the editing began. */
export interface Base {
  /** Null for a rule that is not there yet. */
  id: string | null;
  text: string;
  revision: number;
}

export type Review =
  | { state: 'unchanged' }
  | { state: 'checking' }
  | { state: 'valid'; id: string; result: Changed; text: string }
  | { state: 'invalid'; problem: Problem }
  | { state: 'failed'; problem: Problem }
  | { state: 'conflict'; conflict: Conflict };

/** Somebody else was faster. */
export interface Conflict {
  /** Theirs; null if the rule is gone. */
  theirs: string | null;
  revision: number;
  /** The one that changed it last; null if that can't be told. */
  by: Revision | null;
}

/** Whether the others changed only other rules: the text is then as good as before, for the newest revision. */
const isElsewhere = (base: Base, conflict: Conflict) => conflict.theirs === (base.id === null ? null : base.text);

/** What the service says about a text, while it is being written: a dry run whenever it has stood still. */
export function useReview(base: Base | null, text: string, mayChange: boolean, round: number, onNewer: (base: Base) => void): Review {
  const settled = useSettled(text, 350);
  const [review, setReview] = useState<Review>({ state: 'unchanged' });
  const same = base !== null && base.id !== null && text === base.text;

  useEffect(() => {
    if (!base || !mayChange || (base.id !== null && settled === base.text)) {
      setReview({ state: 'unchanged' });
      return undefined;
    }
    const stop = new AbortController();
    setReview((old) => (old.state === 'unchanged' ? { state: 'checking' } : old));
    const id = base.id ?? idIn(settled) ?? 'unnamed';
    putRule(id, settled, { ifMatch: base.revision, dryRun: true, signal: stop.signal })
      .then(({ body }) => setReview({ state: 'valid', id, result: body, text: settled }))
      .catch(async (cause: unknown) => {
        if (stop.signal.aborted || isAbort(cause)) return;
        const problem = Problem.of(cause);
        if (problem.status === 409) {
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
    // onNewer changes with every rendering and is not looked at for it
  }, [base, settled, mayChange, round]);

  if (same) return { state: 'unchanged' };
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

const MOST_LOOKED_AT = 20;

/** The newest revision after `from` that changed the rule. The newest of all may have changed another one. */
async function lastToChange(id: string, from: number, newest: number, signal?: AbortSignal): Promise<Revision | null> {
  for (let number = newest; number > Math.max(from, newest - MOST_LOOKED_AT); number--) {
    const { revision, diff } = await readRevision(number, signal);
    if (diff?.changes.some((change) => change.id === id)) return revision;
    if (!diff || diff.more !== undefined) return null; // what is not listed may be it
  }
  return null;
}

const TRIES = 3;

/** Saves; again for the newest revision where others changed only other rules meanwhile. */
export async function saveRule(base: Base, text: string, signature: Signature): Promise<Changed> {
  let { revision } = base;
  for (let tries = 1; ; tries++) {
    try {
      return (await putRule(base.id ?? idIn(text) ?? 'unnamed', text, { ifMatch: revision, dryRun: false, ...signature })).body;
    } catch (cause) {
      // A new rule could replace one that has come meanwhile: that is looked at first.
      if (Problem.of(cause).status !== 409 || base.id === null || tries === TRIES) throw cause;
      const conflict = await conflictOf({ ...base, revision });
      if (!isElsewhere(base, conflict)) throw cause;
      revision = conflict.revision;
    }
  }
}

export async function newestRevision(signal?: AbortSignal): Promise<number> {
  return (await listRules({ limit: 1 }, signal)).revision;
}

export const TEMPLATE = `id: my-rule
description: what it protects, and whom to ask about it
match: { key: "user:*" }
limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
`;
