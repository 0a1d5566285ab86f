import { useEffect, useState } from 'react';
import { listRules, putRule, readRevision, readRule } from '../../api/calls';
import { isAbort } from '../../api/client';
import { Problem } from '../../api/problem';
import type { Changed, Revision } from '../../api/types';
import { useSettled } from '../../ui/useAsk';
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
  by: Revision | null;
}

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
          // Only other rules were changed: this text is as good as before, for the newest revision.
          if (conflict && conflict.theirs === (base.id === null ? null : base.text)) onNewer({ ...base, revision: conflict.revision });
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
  const by = await readRevision(newest, signal).then(
    (found) => found.revision,
    () => null,
  );
  return { theirs, revision: newest, by };
}

export async function newestRevision(signal?: AbortSignal): Promise<number> {
  return (await listRules({ limit: 1 }, signal)).revision;
}

export const TEMPLATE = `id: my-rule
description: what it protects, and whom to ask about it
match: { key: "user:*" }
limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
`;
