// Sentences of the page of regions.

import type { Region, Regions } from '../../api/types';
import type { Tone } from '../../ui/Notice';
import { count, duration, rate } from '../../ui/format';

/** Describes home: whether it grants shares, and why not. */
export function homeText({ home }: Regions): { tone: Tone; title: string; detail: string } {
  if (home.ready) {
    return { tone: 'good', title: 'Home grants shares', detail: `${home.address}, ${duration(home.roundTripMs)} away` };
  }
  return {
    tone: 'bad',
    title: 'Home grants no shares',
    detail: `${home.address}${home.problem ? `: ${home.problem}` : ''}. Shares are spent until their leases end; then only splits remain.`,
  };
}

/** The state of a region compared to the others. */
export function stateOf(region: Region, all: Region[]): { tone: Tone; text: string } {
  if (region.silent) return { tone: 'bad', text: `silent for ${duration(region.ageMs)}` };
  const newest = Math.max(...all.map((one) => one.revision ?? 0));
  const behind = newest - (region.revision ?? 0);
  if (behind > 0) return { tone: 'warning', text: `${count(behind)} ${behind === 1 ? 'revision' : 'revisions'} behind` };
  return { tone: 'good', text: 'reports' };
}

/** The rules of which any region holds permits, those with most demand first. */
export function rulesOf(regions: Region[]): string[] {
  const demand = new Map<string, number>();
  for (const region of regions) {
    for (const one of region.rules) demand.set(one.rule, (demand.get(one.rule) ?? 0) + one.demandPerSecond);
  }
  return [...demand.keys()].sort((a, b) => (demand.get(b) ?? 0) - (demand.get(a) ?? 0) || a.localeCompare(b));
}

/** One cell of the matrix: the permits that a region holds of a rule and requests a second. */
export function cellOf(region: Region, rule: string): string {
  const share = region.rules.find((one) => one.rule === rule);
  return share ? `${count(share.held)} · ${rate(share.demandPerSecond)}/s` : '–';
}
