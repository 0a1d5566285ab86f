// A block is a rule that denies every request of one caller. Its id begins with `block-`, as `headgate block` makes it.

import type { RuleJson, Subject } from '../../api/types';
import { toYaml } from '../../yaml/print';
import { equal, isMap, type Value, type ValueMap } from '../../yaml/tree';
import { matchOf } from '../rules/overrides';

export const PREFIX = 'block-';

export interface Block {
  id: string;
  reason: string;
  match: ValueMap;
  /** Null if it does not end by itself. */
  until: number | null;
}

/** Returns the blocks among rules. */
export const blocksAmong = (rules: RuleJson[]): Block[] =>
  rules
    .filter(({ id, limit }) => id.startsWith(PREFIX) && limit === 'deny')
    .map((rule) => ({ id: rule.id, reason: rule.description ?? '', match: (rule.match ?? {}) as ValueMap, until: untilOf(rule['active'] as Value) }));

/** The end of a schedule in UTC, in which blocks are written; null if there is none. */
function untilOf(active: Value | undefined): number | null {
  const until = isMap(active) && active['zone'] === undefined ? active['until'] : undefined;
  if (typeof until !== 'string') return null;
  const at = Date.parse(`${until.includes('T') ? until : `${until}T00:00`}Z`);
  return Number.isNaN(at) ? null : at;
}

export const isOver = ({ until }: Block, now: number) => until !== null && until <= now;

/** Returns the block of exactly this caller that is in effect, or else one that is over. */
export function blockOf(blocks: Block[], caller: Subject, now: number): Block | undefined {
  const match = matchOf(caller);
  const own = blocks.filter((block) => equal(block.match, match));
  return own.find((block) => !isOver(block, now)) ?? own[0];
}

/** Returns the rule of a block. An expired block of the same caller is replaced, by its id. */
export function blockRule(caller: Subject, reason: string, until: number | null, former?: Block): { id: string; text: string } {
  const match = matchOf(caller);
  const id = former?.id ?? idOf(match);
  const end = until === null ? {} : { active: { until: new Date(until).toISOString().slice(0, 19) } };
  return { id, text: toYaml({ id, ...(reason ? { description: reason } : {}), match, limit: 'deny', ...end }) };
}

/** The checksum of the patterns, in the order of the attributes' names, so that a caller has one block. */
function idOf(match: ValueMap): string {
  const text = Object.keys(match)
    .sort()
    .map((name) => `${name}\0${String(match[name])}\0`)
    .join('');
  return PREFIX + crc32(new TextEncoder().encode(text)).toString(16).padStart(8, '0');
}

const POLYNOMIAL = 0xedb88320;

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
