// All API calls of the pages.

import { ask } from './client';
import type {
  Callers,
  Changed,
  Diff,
  Explanation,
  Health,
  HistorySeries,
  OneCaller,
  OpenReservations,
  Range,
  Regions,
  Revision,
  RuleFacts,
  RuleJson,
  RulePage,
  RuleRevision,
  RuleSummaries,
  Series,
  Stats,
  Subject,
  Trial,
  WhatIf,
  WhoAmI,
} from './types';

const segment = encodeURIComponent;

export const whoAmI = async (signal?: AbortSignal) => (await ask<WhoAmI>('/v1/whoami', signal ? { signal } : {})).body;

export const readHealth = async (signal?: AbortSignal) =>
  (await ask<Health>('/health/ready', signal ? { signal } : {})).body;

export const readStats = async (signal?: AbortSignal) =>
  (await ask<Stats & { series: Series }>('/v1/stats', signal ? { signal } : {})).body;

/** The regions that share limits; null if the service has none, or the token may not see them. */
export const readRegions = async (signal?: AbortSignal) =>
  (await ask<{ store: { region?: Regions } }>('/health/ready', signal ? { signal } : {})).body.store.region ?? null;

/** The decisions of all rules, or of one. */
export const readHistory = async (range: Range, rule?: string, signal?: AbortSignal) =>
  (await ask<HistorySeries>('/v1/stats/history', { query: { range, rule }, ...(signal ? { signal } : {}) })).body;

export const readRuleSummaries = async (signal?: AbortSignal) =>
  (await ask<RuleSummaries>('/v1/stats/rules', signal ? { signal } : {})).body;

export const readRuleFacts = async (id: string, signal?: AbortSignal) =>
  (await ask<RuleFacts>(`/v1/stats/rules/${segment(id)}`, signal ? { signal } : {})).body;

export const readReservations = async (rule: string, signal?: AbortSignal) =>
  (await ask<OpenReservations>(`/v1/reservations?rule=${encodeURIComponent(rule)}`, signal ? { signal } : {})).body;

export interface RuleQuery {
  search?: string;
  after?: string;
  limit?: number;
}

export const listRules = async (query: RuleQuery, signal?: AbortSignal) =>
  (await ask<RulePage>('/v1/rules', { query: { limit: 100, ...query }, ...(signal ? { signal } : {}) })).body;

/** Maximum number of rules in one response. */
const MAX_RULES = 100_000;

/** Loads every rule that matches a search. */
export const listAllRules = (search: string, signal?: AbortSignal) => listRules({ search, limit: MAX_RULES }, signal);

export const readRule = async (id: string, signal?: AbortSignal) =>
  ask<RuleJson>(`/v1/rules/${segment(id)}`, signal ? { signal } : {});

export interface Signed {
  ifMatch: number | null;
  dryRun: boolean;
  message?: string;
  author?: string;
  signal?: AbortSignal;
}

function signed({ ifMatch, dryRun, message, author, signal }: Signed) {
  return {
    ifMatch,
    query: dryRun ? { 'dry-run': true } : {},
    ...(message ? { message } : {}),
    ...(author ? { author } : {}),
    ...(signal ? { signal } : {}),
  };
}

/** JSON is a subset of YAML, so one media type fits both. */
export const putRule = async (id: string, text: string, how: Signed) =>
  ask<Changed>(`/v1/rules/${segment(id)}`, { method: 'PUT', yaml: text, ...signed(how) });

export const deleteRule = async (id: string, how: Signed) =>
  ask<Changed>(`/v1/rules/${segment(id)}`, { method: 'DELETE', ...signed(how) });

export const listRevisions = async (before?: number, signal?: AbortSignal) =>
  (
    await ask<{ revisions: Revision[]; next?: number }>('/v1/revisions', {
      query: { limit: 50, before },
      ...(signal ? { signal } : {}),
    })
  ).body;

export const listRuleRevisions = async (rule: string, before?: number, signal?: AbortSignal) =>
  (
    await ask<{ revisions: RuleRevision[]; next?: number }>('/v1/revisions', {
      query: { rule, limit: 20, before },
      ...(signal ? { signal } : {}),
    })
  ).body;

export const readRevision = async (number: number, signal?: AbortSignal) =>
  (
    await ask<{ revision: Revision; diff?: Diff }>(`/v1/revisions/${number}`, signal ? { signal } : {})
  ).body;

export const restoreRevision = async (number: number, how: Signed) =>
  ask<Changed>(`/v1/revisions/${number}/restore`, { method: 'POST', ...signed(how) });

export interface CallerQuery {
  sort: 'denied' | 'allowed' | 'rate' | 'burst';
  rule?: string;
  search?: string;
  limit?: number;
}

export const listCallers = async (query: CallerQuery, signal?: AbortSignal) =>
  (await ask<Callers>('/v1/callers', { query: { ...query }, ...(signal ? { signal } : {}) })).body;

export const readCaller = async (caller: string, signal?: AbortSignal) =>
  (await ask<OneCaller>(`/v1/callers/${segment(caller)}`, signal ? { signal } : {})).body;

export const explain = async (subject: Subject, signal?: AbortSignal) =>
  (
    await ask<Explanation>('/v1/explain', { method: 'POST', json: { subject }, ...(signal ? { signal } : {}) })
  ).body;

export const reset = async (subject: Subject, rule: string) =>
  (await ask<{ reset: boolean }>('/v1/reset', { method: 'POST', json: { subject, rule } })).body;

export const playground = async (json: unknown, signal?: AbortSignal) =>
  (await ask<Trial>('/v1/playground', { method: 'POST', json, ...(signal ? { signal } : {}) })).body;

export const whatIf = async (json: unknown, signal?: AbortSignal) =>
  (await ask<WhatIf>('/v1/what-if', { method: 'POST', json, ...(signal ? { signal } : {}) })).body;
