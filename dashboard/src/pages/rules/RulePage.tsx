import { useState } from 'react';
import { readRule, readRuleFacts } from '../../api/calls';
import type { Counts, RuleFacts, RuleJson } from '../../api/types';
import { useAccount } from '../../app/account';
import { href } from '../../app/route';
import { DecisionsChart } from '../../live/DecisionsChart';
import { useLive } from '../../live/live';
import { Empty, Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { compact, count, duration, moment, percent, plural } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import type { Value } from '../../yaml/tree';
import { DeleteRule } from './DeleteRule';
import { limitsOf, matchText, shedText } from './describe';
import { Levels, LoadChart, LoadEvents, TunedRates } from './Levels';
import { limitWords } from './form/words';
import { Reservations } from './Reservations';
import { RuleHistory } from './RuleHistory';

const REFRESH_MS = 2000;

/** What one rule does: its decisions, the callers it concerns, what it denied, and how it was changed. */
export function RulePage({ id }: { id: string }) {
  const { mayChange } = useAccount();
  const { rulesChanged, stats } = useLive();
  const rule = useAsk(`rule ${id} ${rulesChanged}`, (signal) => readRule(id, signal));
  const facts = useAsk(`facts ${id}`, (signal) => readRuleFacts(id, signal), REFRESH_MS);
  const [deleting, setDeleting] = useState(false);
  const gone = rule.problem?.status === 404;
  const known = !gone && rule.data !== null;
  const levels = (stats?.shedding ?? []).filter((level) => level.rule === id);
  const rates = (stats?.tuning ?? []).filter((rate) => rate.rule === id);
  const load = facts.data?.load ?? [];
  const changes = <LoadEvents events={(stats?.loadEvents ?? []).filter((event) => event.rule === id)} now={stats?.now ?? 0} />;
  return (
    <>
      <div className="page-head">
        <a href={href(['rules'])}>Rules</a>
        <h1 className="break">{id}</h1>
        {rule.data && <Tags rule={rule.data.body} />}
        <span className="spring" />
        {known && (
          <a className="button" href={href(['what-if'], { rule: id })}>
            Simulate…
          </a>
        )}
        {known && mayChange && (
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            Delete…
          </button>
        )}
        {known && (
          <a className={mayChange ? 'button primary' : 'button'} href={href(['rules', id, 'edit'])}>
            {mayChange ? 'Edit' : 'Show the definition'}
          </a>
        )}
      </div>
      <div className="stack">
        {rule.problem && !gone && <ProblemNotice problem={rule.problem} again={rule.again} />}
        {gone && <Notice tone="info" title="There is no rule of this id">Its history is below, if it was deleted.</Notice>}
        {rule.data && <Definition rule={rule.data.body} />}
        {rule.data?.body.shed && (
          <Levels levels={levels}>
            <LoadChart series={load} levels={levels} rates={false} />
            {changes}
          </Levels>
        )}
        <TunedRates rates={rates}>
          <LoadChart series={load} levels={rates} rates />
          {changes}
        </TunedRates>
        {known && <Reservations rule={id} configured={rule.data?.body['reservation'] !== undefined} />}
        {facts.data && <Figures facts={facts.data} />}
        {facts.data && (
          <section className="section">
            <DecisionsChart rule={id} height={220} />
            {(stats?.instances ?? 1) > 1 && <p className="quiet">Decisions and callers are those of this instance, one of {stats?.instances}.</p>}
          </section>
        )}
        {facts.problem && facts.problem.status !== 404 && <ProblemNotice problem={facts.problem} again={facts.again} />}
        {!facts.data && !facts.problem && <Loading what="the statistics" />}
        {facts.data && (
          <div className="sides">
            <TopCallers facts={facts.data} />
            <Denied facts={facts.data} />
          </div>
        )}
        <section className="section history" aria-labelledby="history">
          <h2 id="history">History</h2>
          <RuleHistory id={id} round={rulesChanged} />
        </section>
      </div>
      {deleting && <DeleteRule id={id} onClose={() => setDeleting(false)} />}
    </>
  );
}

export function Tags({ rule }: { rule: RuleJson }) {
  return (
    <>
      {rule.mode === 'shadow' && <span className="tag shadow">shadow</span>}
      {rule.mode === 'off' && <span className="tag">off</span>}
      {rule.fallback && <span className="tag">fallback</span>}
    </>
  );
}

function Definition({ rule }: { rule: RuleJson }) {
  return (
    <section className="section" aria-label="Definition">
      {rule.description && <p>{rule.description}</p>}
      <p>
        <span className="mono break">{matchText(rule)}</span>
        {': '}
        {rule.shed ? shedText(rule.shed) : limitsOf(rule)
          .map((limit) => (limit === 'exempt' ? 'excused from all other rules' : limitWords(limit as Value)))
          .join('; ')}
        {(rule.overrides?.length ?? 0) > 0 && <span className="quiet">, with {plural(rule.overrides!.length, 'override')}</span>}
      </p>
    </section>
  );
}

function Figures({ facts }: { facts: RuleFacts }) {
  const { lastMinute, lastHour, lastDay, onStoreFailure } = facts;
  return (
    <dl className="figures">
      <CountsFigure name="Last minute" counts={lastMinute} />
      <CountsFigure name="Last hour" counts={lastHour} />
      <CountsFigure name="Last 24 hours" counts={lastDay} />
      <div className="figure">
        <dt>Last denial</dt>
        <dd className="value small">{facts.lastDenied === null ? 'none' : moment(facts.lastDenied, facts.now)}</dd>
        <dd className="note">since the start</dd>
      </div>
      <div className="figure">
        <dt>Changed</dt>
        <dd className="value small">{facts.changedAt === null ? 'unknown' : moment(facts.changedAt, facts.now)}</dd>
        <dd className="note">{facts.changedIn === null ? '' : `revision ${facts.changedIn}`}</dd>
      </div>
      <div className="figure degraded">
        <dt>By policy</dt>
        <dd className="value">{compact(lastDay.degraded)}</dd>
        <dd className="note">in 24 h{onStoreFailure === null ? '' : `; ${onStoreFailure}`}</dd>
      </div>
    </dl>
  );
}

function CountsFigure({ name, counts }: { name: string; counts: Counts }) {
  const { allowed, denied, shadowDenied } = counts;
  const all = allowed + denied;
  return (
    <div className={denied > 0 ? 'figure denied' : 'figure allowed'}>
      <dt>{name}</dt>
      <dd className="value">
        {compact(denied)}
        <small> denied</small>
      </dd>
      <dd className="note">
        {percent(denied, all)} of {compact(all)}
        {shadowDenied > 0 && `; ${compact(shadowDenied)} shadow-denied`}
      </dd>
    </div>
  );
}

/** Whose name links to its page. */
function CallerLink({ caller }: { caller: string }) {
  return <a href={href(['callers', caller])}>{caller}</a>;
}

function TopCallers({ facts: { callers } }: { facts: RuleFacts }) {
  return (
    <section className="section" aria-labelledby="top">
      <h2 id="top">Top callers</h2>
      {callers.busiest.length === 0 && <Empty title={`No caller in the last ${duration(callers.windowMs)}`} />}
      <CallerCounts caption="Most checks" name="Checks" all={callers.checks} rows={callers.busiest.map(({ caller, checks }) => ({ caller, n: checks }))} />
    </section>
  );
}

function CallerCounts({ caption, name, all, rows }: { caption: string; name: string; all: number; rows: { caller: string; n: number }[] }) {
  if (rows.length === 0) return null;
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Caller</th>
          <th scope="col" className="num">{name}</th>
          <th scope="col" className="num">Share</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ caller, n }) => (
          <tr key={caller}>
            <th scope="row" className="break">
              <CallerLink caller={caller} />
            </th>
            <td className="num">{compact(n)}</td>
            <td className="num">{percent(n, all)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Denied({ facts: { callers, denials, now } }: { facts: RuleFacts }) {
  return (
    <section className="section stack" aria-labelledby="denials">
      <h2 id="denials">What it denied</h2>
      {denials.length === 0 ? (
        <Empty title="It has denied nothing since the start" />
      ) : (
        <table>
          <caption>Last denials</caption>
          <thead>
            <tr>
              <th scope="col">Caller</th>
              <th scope="col">Limit</th>
              <th scope="col" className="num">Times</th>
              <th scope="col" className="num">Last</th>
            </tr>
          </thead>
          <tbody>
            {denials.map((denial) => (
              <tr key={`${denial.caller} ${denial.limit}`}>
                <th scope="row" className="break">
                  <CallerLink caller={denial.caller} /> {denial.shadow && <span className="tag shadow">shadow</span>}
                </th>
                <td className="break">{denial.limit}</td>
                <td className="num">{count(denial.count)}</td>
                <td className="num" title={denial.retryAfterMs === null ? undefined : `Retry after ${duration(denial.retryAfterMs)}`}>
                  {moment(denial.at, now)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <CallerCounts caption="Most denials" name="Denials" all={callers.denials} rows={callers.denied.map(({ caller, denials: n }) => ({ caller, n }))} />
    </section>
  );
}
