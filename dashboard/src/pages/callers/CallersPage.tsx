import { useState } from 'react';
import { listCallers, type CallerQuery } from '../../api/calls';
import type { Caller, Callers } from '../../api/types';
import { href } from '../../app/route';
import { useLive } from '../../live/live';
import { Empty, Loading, ProblemNotice } from '../../ui/Notice';
import { compact, duration, moment, percent, plural, rate } from '../../ui/format';
import { useAsk, useLast, useSettled } from '../../ui/useAsk';

type Sort = CallerQuery['sort'];

const COLUMNS: { sort: Sort; name: string; title: string }[] = [
  { sort: 'denied', name: 'Denied', title: 'most denied first' },
  { sort: 'allowed', name: 'Allowed', title: 'most allowed first' },
  { sort: 'rate', name: 'Per second', title: 'fastest first' },
  { sort: 'burst', name: 'Burst', title: 'most uneven first: peak second by mean' },
];

/** Maximum number of callers the service returns. */
const MAX_CALLERS = 1000;
export const moreThan = (limit: number) => Math.min(MAX_CALLERS, limit * 4);

export function CallersPage() {
  const { stats } = useLive();
  const [sort, setSort] = useState<Sort>('denied');
  const [rule, setRule] = useState('');
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(50);
  const settled = useSettled(search.trim(), 250);
  const { data, problem, again } = useAsk(
    `callers ${sort} ${rule} ${settled} ${limit}`,
    async (signal) => ({ ...(await listCallers({ sort, rule, search: settled, limit }, signal)), limit }),
    2000,
  );
  // Keeps the list, focus and scroll position until the next list is loaded.
  const shown = useLast(data);
  const rules = [...new Set([...(stats?.byRule ?? []).map((r) => r.rule), ...(rule ? [rule] : [])])].sort();
  return (
    <>
      <div className="page-head">
        <h1>Callers</h1>
        <label className="hidden" htmlFor="search">
          Search callers
        </label>
        <input id="search" type="search" placeholder="Search callers" value={search} onChange={(event) => setSearch(event.target.value)} />
        <label className="check">
          Rule
          <select value={rule} onChange={(event) => setRule(event.target.value)}>
            <option value="">any</option>
            {rules.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
        <label className="check narrow-only">
          Sort
          <select value={sort} onChange={(event) => setSort(event.target.value as Sort)}>
            {COLUMNS.map((column) => (
              <option key={column.sort} value={column.sort}>
                {column.title}
              </option>
            ))}
          </select>
        </label>
        <span className="spring" />
        <a className="button" href={href(['explain'])}>
          Explain any caller
        </a>
      </div>
      {problem && (
        <ProblemNotice problem={problem} again={again}>
          {shown && `Data from ${moment(shown.now)}.`}
        </ProblemNotice>
      )}
      {!shown && !problem && <Loading what="the callers" />}
      {shown && (
        <section className="section" aria-label="Top callers" aria-busy={!data}>
          {shown.callers.length === 0 ? (
            <Empty title={settled || rule ? 'No caller matches' : 'No recent callers'}>
              {settled || rule ? 'Searched among the recent busiest callers. Use “Explain any caller” for one that is not listed.' : 'Callers appear here with their first check.'}
            </Empty>
          ) : (
            <CallerTable data={shown} sort={sort} onSort={setSort} />
          )}
          {shown.callers.length >= shown.limit && shown.limit < MAX_CALLERS && (
            <div className="row more">
              <button type="button" onClick={() => setLimit(moreThan(shown.limit))}>
                Show more
              </button>
            </div>
          )}
        </section>
      )}
    </>
  );
}

function CallerTable({ data, sort, onSort }: { data: Callers; sort: Sort; onSort: (sort: Sort) => void }) {
  return (
    <table className="cards">
      <caption>
        The last {duration(data.windowMs)}, {data.instances === 1 ? 'this instance' : plural(data.instances, 'instance')};{' '}
        {plural(data.tracked, 'caller')} tracked
        {data.error > 0 ? `, each count at most ${percent(data.error, 1)} of all requests too high` : ', all counts exact'}
      </caption>
      <thead>
        <tr>
          <th scope="col">Caller</th>
          {COLUMNS.map((column) => (
            <th key={column.sort} scope="col" className="num" aria-sort={sort === column.sort ? 'descending' : undefined}>
              <button type="button" className="plain sort" title={`Sort: ${column.title}`} onClick={() => onSort(column.sort)}>
                {column.name}
                <svg viewBox="0 0 10 10" aria-hidden="true">
                  {sort === column.sort && <path d="M1.5 3L5 7l3.5-4" />}
                </svg>
              </button>
            </th>
          ))}
          <th scope="col">Rules</th>
          <th scope="col" className="num">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {data.callers.map((caller) => (
          <CallerRow key={caller.caller} caller={caller} now={data.now} />
        ))}
      </tbody>
    </table>
  );
}

function CallerRow({ caller, now }: { caller: Caller; now: number }) {
  const all = caller.allowed + caller.denied;
  return (
    <tr>
      <th scope="row" className="whole break">
        <a href={href(['callers', caller.caller])}>{caller.caller}</a>
      </th>
      <td className={caller.denied > 0 ? 'num some-denied' : 'num zero'} data-name="Denied" title={percent(caller.denied, all)}>
        {compact(caller.denied)}
      </td>
      <td className="num" data-name="Allowed">{compact(caller.allowed)}</td>
      <td className="num" data-name="Per second">{rate(caller.perSecond)}</td>
      <td className="num" data-name="Burst">{caller.burstRatio === null ? '–' : `${caller.burstRatio.toFixed(1)}×`}</td>
      <td className="whole break">
        {caller.rules.map((rule, i) => (
          <span key={rule}>
            {i > 0 && ', '}
            <a href={href(['rules', rule])}>{rule}</a>
          </span>
        ))}
      </td>
      <td className="num wide-only">{now - caller.last < 1500 ? 'now' : moment(caller.last, now)}</td>
    </tr>
  );
}
