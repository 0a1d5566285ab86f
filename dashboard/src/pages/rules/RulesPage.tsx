import { useMemo, useRef, useState } from 'react';
import { listAllRules, listRules, readRuleSummaries } from '../../api/calls';
import { Problem } from '../../api/problem';
import type { RuleJson, RulePage, RuleRates, RuleSummary } from '../../api/types';
import { useAccount } from '../../app/account';
import { href } from '../../app/route';
import { useLive } from '../../live/live';
import { Empty, Loading, ProblemNotice } from '../../ui/Notice';
import { count, moment, plural, rate } from '../../ui/format';
import { useAsk, useLast, useSettled } from '../../ui/useAsk';
import { limitsOf, limitText, matchText } from './describe';
import { arranged, FILTERS, isChangedLately, passes, SORTS, type Filter, type Sort } from './filter';
import { Tags } from './RulePage';

const REFRESH_MS = 5000;

/** The state of the list: which rules, and in which order. */
interface Choice {
  filter: Filter;
  sort: Sort;
}

const isArranged = ({ filter, sort }: Choice) => filter !== 'all' || sort !== 'order';

export function RulesPage() {
  const { stats, rulesChanged } = useLive();
  const { mayChange } = useAccount();
  const [search, setSearch] = useState('');
  const [choice, setChoice] = useState<Choice>({ filter: 'all', sort: 'order' });
  const settled = useSettled(search.trim(), 200);
  // The service searches and pages; it can't filter by statistics, so that every rule is needed for this.
  const whole = isArranged(choice);
  const { data, problem, again } = useAsk(`rules ${rulesChanged} ${settled} ${whole}`, async (signal) => ({
    ...(await (whole ? listAllRules(settled, signal) : listRules({ search: settled }, signal))),
    search: settled,
    whole,
  }));
  const summaries = useAsk(`summaries ${rulesChanged}`, readRuleSummaries, REFRESH_MS);
  const shown = useLast(data);
  const rates = useMemo(() => new Map((stats?.byRule ?? []).map((rule) => [rule.rule, rule])), [stats]);
  const known = useMemo(() => new Map((summaries.data?.rules ?? []).map((summary) => [summary.rule, summary])), [summaries.data]);
  const now = summaries.data?.now ?? Date.now();

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
        <section className="section stack" aria-label="Rules">
          {(shown.total > 0 || isArranged(choice)) && <Choices choice={choice} onChange={setChoice} summaries={known} now={now} />}
          {summaries.problem && <p className="quiet">The statistics of the rules can't be loaded: {summaries.problem.detail}</p>}
          {shown.total === 0 ? (
            <Empty title={shown.search ? `No rule has “${shown.search}” in its id or description` : 'There are no rules: everything is allowed'}>
              {!shown.search && mayChange && <a href={href(['new-rule'])}>Create the first rule</a>}
            </Empty>
          ) : (
            <RuleTable
              key={`${shown.revision} ${shown.search} ${shown.whole} ${choice.filter} ${choice.sort}`}
              first={shown}
              search={shown.search}
              choice={choice}
              rates={rates}
              summaries={known}
              now={now}
              instances={stats?.instances ?? 1}
            />
          )}
        </section>
      )}
    </>
  );
}

interface ChoicesProps {
  choice: Choice;
  onChange: (choice: Choice) => void;
  summaries: Map<string, RuleSummary>;
  now: number;
}

function Choices({ choice, onChange, summaries, now }: ChoicesProps) {
  const all = [...summaries.values()];
  const found = (filter: Filter) => all.filter((summary) => passes(filter, summary, summary, now)).length;
  return (
    <div className="row">
      <fieldset className="segments">
        <legend className="hidden">Filter</legend>
        {FILTERS.map(({ value, name }) => (
          <label key={value}>
            <input type="radio" name="filter" checked={value === choice.filter} onChange={() => onChange({ ...choice, filter: value })} />
            {name}
            {value !== 'all' && all.length > 0 && <span className="quiet"> {count(found(value))}</span>}
          </label>
        ))}
      </fieldset>
      <span className="spring" />
      <label className="check">
        Sort
        <select value={choice.sort} onChange={(event) => onChange({ ...choice, sort: event.target.value as Sort })}>
          {SORTS.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface TableProps {
  first: RulePage;
  search: string;
  choice: Choice;
  rates: Map<string, RuleRates>;
  summaries: Map<string, RuleSummary>;
  now: number;
  instances: number;
}

/** Rows of an arranged list that are shown at first. */
const PAGE = 100;

function RuleTable({ first, search, choice, rates, summaries, now, instances }: TableProps) {
  const [pages, setPages] = useState([first]);
  const [rows, setRows] = useState(PAGE);
  const [problem, setProblem] = useState<Problem | null>(null);
  const loaded = pages.flatMap((page) => page.rules);
  const next = pages.at(-1)?.next;
  const busy = useRef(false);
  const found = isArranged(choice) ? arranged([...loaded], summaries, choice.filter, choice.sort, now) : loaded;
  const rules = isArranged(choice) ? found.slice(0, rows) : found;
  const total = isArranged(choice) ? found.length : first.total;
  const more = async () => {
    if (isArranged(choice)) {
      setRows((n) => n + PAGE);
      return;
    }
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
  if (rules.length === 0) return <Empty title="No rule at the moment">Of {plural(loaded.length, 'rule')}, none fits “{FILTERS.find(({ value }) => value === choice.filter)!.name}”.</Empty>;
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
            <RuleRow key={rule.id} rule={rule} rates={rates.get(rule.id)} summary={summaries.get(rule.id)} now={now} />
          ))}
        </tbody>
      </table>
      {problem && <ProblemNotice problem={problem} again={() => void more()} />}
      {rules.length < total && (next !== undefined || isArranged(choice)) && (
        <div className="row more">
          <button type="button" onClick={() => void more()}>
            Show more
          </button>
          <span className="quiet">
            {count(rules.length)} of {count(total)}
          </span>
        </div>
      )}
    </>
  );
}

interface RowProps {
  rule: RuleJson;
  rates: RuleRates | undefined;
  summary: RuleSummary | undefined;
  now: number;
}

function RuleRow({ rule, rates, summary, now }: RowProps) {
  const denied = rates?.denied ?? 0;
  const shadow = rates?.shadowDenied ?? 0;
  const overrides = rule.overrides?.length ?? 0;
  return (
    <tr>
      <th scope="row" className="whole">
        <a className="break" href={href(['rules', rule.id])}>
          {rule.id}
        </a>{' '}
        <Tags rule={rule} />
        {rule.description && <div className="quiet description">{rule.description}</div>}
        {isChangedLately(summary, now) && <div className="quiet description">changed {moment(summary!.changedAt!, now)}</div>}
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
