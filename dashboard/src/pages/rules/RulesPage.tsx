import { useMemo, useRef, useState } from 'react';
import { listRules } from '../../api/calls';
import { Problem } from '../../api/problem';
import type { RuleJson, RulePage, RuleRates } from '../../api/types';
import { useAccount } from '../../app/account';
import { href } from '../../app/route';
import { useLive } from '../../live/live';
import { Empty, Loading, ProblemNotice } from '../../ui/Notice';
import { count, plural, rate } from '../../ui/format';
import { useAsk, useLast, useSettled } from '../../ui/useAsk';
import { limitsOf, limitText, matchText } from './describe';

export function RulesPage() {
  const { stats, rulesChanged } = useLive();
  const { mayChange } = useAccount();
  const [search, setSearch] = useState('');
  const settled = useSettled(search.trim(), 200);
  const { data, problem, again } = useAsk(`rules ${rulesChanged} ${settled}`, async (signal) => ({
    ...(await listRules({ search: settled }, signal)),
    search: settled,
  }));
  const shown = useLast(data);
  const rates = useMemo(() => new Map((stats?.byRule ?? []).map((rule) => [rule.rule, rule])), [stats]);

  return (
    <>
      <div className="page-head">
        <h1>Rules</h1>
        <label className="hidden" htmlFor="search">
          Search rules
        </label>
        <input
          id="search"
          type="search"
          placeholder="Search id or description"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <span className="quiet" role="status">
          {shown && plural(shown.total, 'rule')}
          {shown && shown.search && ' found'}
          {shown && `, revision ${shown.revision}`}
        </span>
        <span className="spring" />
        <a className="button" href={href(['history'])}>
          History
        </a>
        {mayChange && (
          <a className="button primary" href={href(['new-rule'])}>
            New rule
          </a>
        )}
      </div>
      {problem && (
        <ProblemNotice problem={problem} again={again}>
          {shown && `Showing the rules of revision ${shown.revision}, which may be outdated.`}
        </ProblemNotice>
      )}
      {!problem && !shown && <Loading what="the rules" />}
      {shown && (
        <section className="section" aria-label="Rules">
          {shown.total === 0 ? (
            <Empty title={shown.search ? `No rule has “${shown.search}” in its id or description` : 'There are no rules: everything is allowed'}>
              {!shown.search && mayChange && <a href={href(['new-rule'])}>Create the first rule</a>}
            </Empty>
          ) : (
            <RuleTable
              key={`${shown.revision} ${shown.search}`}
              first={shown}
              search={shown.search}
              rates={rates}
              instances={stats?.instances ?? 1}
            />
          )}
        </section>
      )}
    </>
  );
}

interface TableProps {
  first: RulePage;
  search: string;
  rates: Map<string, RuleRates>;
  instances: number;
}

function RuleTable({ first, search, rates, instances }: TableProps) {
  const [pages, setPages] = useState([first]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const rules = pages.flatMap((page) => page.rules);
  const next = pages.at(-1)?.next;
  const busy = useRef(false);
  const more = async () => {
    if (busy.current) return;
    busy.current = true;
    setProblem(null);
    try {
      const page = await listRules(next === undefined ? { search } : { search, after: next });
      setPages((old) => [...old, page]);
    } catch (cause) {
      setProblem(Problem.of(cause));
    } finally {
      busy.current = false;
    }
  };
  return (
    <>
      <table className="cards rules">
        {instances > 1 && <caption>Rates cover this instance, one of {instances}</caption>}
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Match</th>
            <th scope="col">Limit</th>
            <th scope="col" className="num">Allowed/s</th>
            <th scope="col" className="num">Denied/s</th>
            <th scope="col" className="num">Shadow/s</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <RuleRow key={rule.id} rule={rule} rates={rates.get(rule.id)} />
          ))}
        </tbody>
      </table>
      {problem && <ProblemNotice problem={problem} again={() => void more()} />}
      {next !== undefined && (
        <div className="row more">
          <button type="button" onClick={() => void more()}>
            Show more
          </button>
          <span className="quiet">
            {count(rules.length)} of {count(first.total)}
          </span>
        </div>
      )}
    </>
  );
}

function RuleRow({ rule, rates }: { rule: RuleJson; rates: RuleRates | undefined }) {
  const denied = rates?.denied ?? 0;
  const shadow = rates?.shadowDenied ?? 0;
  const overrides = rule.overrides?.length ?? 0;
  return (
    <tr>
      <th scope="row" className="whole">
        <a className="break" href={href(['rules', rule.id])}>
          {rule.id}
        </a>{' '}
        {rule.mode === 'shadow' && <span className="tag shadow">shadow</span>}
        {rule.mode === 'off' && <span className="tag">off</span>}
        {rule.fallback && <span className="tag">fallback</span>}
        {rule.description && <div className="quiet description">{rule.description}</div>}
      </th>
      <td className="whole mono break">{matchText(rule)}</td>
      <td className="whole">
        {limitsOf(rule).map((limit, i) => (
          <div key={i} className="mono">
            {limitText(limit)}
          </div>
        ))}
        {overrides > 0 && <span className="quiet">{plural(overrides, 'override')}</span>}
      </td>
      <td className={rates ? 'num' : 'num zero'} data-name="Allowed/s">{rate(rates?.allowed ?? 0)}</td>
      <td className={denied > 0 ? 'num some-denied' : 'num zero'} data-name="Denied/s">{rate(denied)}</td>
      <td className={shadow > 0 ? 'num' : 'num zero wide-only'} data-name="Shadow/s">{rate(shadow)}</td>
    </tr>
  );
}
