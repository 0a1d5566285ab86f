import type { Revision } from '../../api/types';

/** Revisions, newest first. `next` is the cursor of older ones, if there are any. */
export interface Revisions {
  revisions: Revision[];
  next?: number;
}

export const noRevisions: Revisions = { revisions: [] };

function merged(one: Revision[], other: Revision[]): Revision[] {
  const byNumber = new Map([...one, ...other].map((revision) => [revision.number, revision]));
  return [...byNumber.values()].sort((a, b) => b.number - a.number);
}

const listOf = (revisions: Revision[], next: number | undefined): Revisions => (next === undefined ? { revisions } : { revisions, next });

/**
 * Merges the newest page. If there is a gap between it and the known revisions, the known ones are
 * dropped.
 */
export function withNewest(known: Revisions, page: Revisions): Revisions {
  const oldest = page.revisions.at(-1);
  const [first] = known.revisions;
  if (!first || !oldest || oldest.number > first.number + 1) return page;
  const older = known.revisions.at(-1)!.number < oldest.number;
  return listOf(merged(known.revisions, page.revisions), older ? known.next : page.next);
}

export const withOlder = (known: Revisions, page: Revisions): Revisions =>
  listOf(merged(known.revisions, page.revisions), page.next);
