import { useState } from 'react';
import { readCaller } from '../../api/calls';
import type { OneCaller } from '../../api/types';
import { href } from '../../app/route';
import { useLive } from '../../live/live';
import { Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { count, moment, percent, plural, rate, subjectText } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { ExplainView } from './ExplainView';
import { subjectOf } from './name';
import { Timeline } from './Timeline';

export function CallerPage({ caller }: { caller: string }) {
  const { data, at, problem, again } = useAsk(`caller ${caller}`, (signal) => readCaller(caller, signal), 2000);
  const instances = useLive().stats?.instances ?? 1;
  const gone = problem?.status === 404;
  const shown = at !== null && `What is shown is of ${moment(at)}.`;
  return (
    <>
      <div className="page-head">
        <a href={href(['callers'])}>Callers</a>
        <h1 className="break">{caller}</h1>
      </div>
      <div className="stack">
        {!data && !problem && <Loading what={caller} />}
        {gone && (
          <Notice tone="info" title={data ? 'Not among the callers of late any more' : 'Not among the callers of late'}>
            {shown || 'Only the busiest are tracked, each for a while.'}
          </Notice>
        )}
        {problem && !gone && (
          <ProblemNotice problem={problem} again={again}>
            {shown}
          </ProblemNotice>
        )}
        {gone && !data && <Untracked caller={caller} />}
        {data && (
          <>
            <Summary caller={data} />
            <section className="section">
              <Timeline series={data.series} instances={instances} />
            </section>
            <Standing caller={data} />
          </>
        )}
      </div>
    </>
  );
}

/** What applies to one that nobody has figures of can be asked all the same, if its name tells who it is. */
function Untracked({ caller }: { caller: string }) {
  const subject = subjectOf(caller);
  if (!subject) return null;
  return (
    <section className="section">
      <ExplainView subject={subject} />
    </section>
  );
}

function Standing({ caller }: { caller: OneCaller }) {
  // As it asked when the page was opened: what is read, and reset, must not become another's under one's hands.
  const [subject, setSubject] = useState(caller.subject);
  const otherwise = subjectText(subject) !== subjectText(caller.subject);
  return (
    <section className="section" aria-labelledby="why">
      <h2 id="why">Why, and what is left</h2>
      {caller.denied > 0 && (
        <p className="lately">
          Denied about {plural(caller.denied, 'time')} in the last ten minutes
          {caller.rules.length > 0 && ', by '}
          {caller.rules.map((rule, i) => (
            <span key={rule}>
              {i > 0 && ', '}
              <a href={href(['rules', rule])}>{rule}</a>
            </span>
          ))}
          ; the count fades, so that what is older weighs less. Now:
        </p>
      )}
      {Object.keys(subject).length > 0 && (
        <p className="lately quiet">
          Asked as <span className="mono break">{subjectText(subject)}</span>
          {otherwise && (
            <>
              {', and otherwise by now. '}
              <button type="button" className="link" onClick={() => setSubject(caller.subject)}>
                Look at how it asks now
              </button>
            </>
          )}
        </p>
      )}
      <ExplainView subject={subject} />
    </section>
  );
}

function Summary({ caller }: { caller: OneCaller }) {
  const all = caller.allowed + caller.denied;
  return (
    <dl className="figures">
      <div className="figure">
        <dt>A second</dt>
        <dd className="value">{rate(caller.perSecond)}</dd>
        <dd className="note">{caller.burstRatio === null ? '' : `peak ${caller.burstRatio.toFixed(1)}× the mean`}</dd>
      </div>
      <div className="figure allowed">
        <dt>Allowed</dt>
        <dd className="value">{count(caller.allowed)}</dd>
        <dd className="note">{percent(caller.allowed, all)}</dd>
      </div>
      <div className="figure denied">
        <dt>Denied</dt>
        <dd className="value">{count(caller.denied)}</dd>
        <dd className="note">{percent(caller.denied, all)}</dd>
      </div>
      <div className="figure">
        <dt>Seen</dt>
        <dd className="value small">{moment(caller.last)}</dd>
        <dd className="note">first {moment(caller.since)}</dd>
      </div>
      <div className="figure long">
        <dt>Asked last as</dt>
        <dd className="value small mono break">{subjectText(caller.subject)}</dd>
        <dd className="note">{caller.error > 0 ? `counts may be ${count(caller.error)} too high` : 'counts are exact'}</dd>
      </div>
    </dl>
  );
}
