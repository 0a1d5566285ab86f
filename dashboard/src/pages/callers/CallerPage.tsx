import { useState } from 'react';
import { readCaller } from '../../api/calls';
import type { OneCaller } from '../../api/types';
import { href } from '../../app/route';
import { useLive } from '../../live/live';
import { Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { count, moment, percent, plural, rate, subjectText } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { CallerActions } from './CallerActions';
import { ExplainView } from './ExplainView';
import { identityOf, subjectOf } from './name';
import { Timeline } from './Timeline';

export function CallerPage({ caller }: { caller: string }) {
  const { data, at, problem, again } = useAsk(`caller ${caller}`, (signal) => readCaller(caller, signal), 2000);
  const instances = useLive().stats?.instances ?? 1;
  const identity = identityOf(caller);
  const gone = problem?.status === 404;
  const shown = at !== null && `Data from ${moment(at)}.`;
  return (
    <>
      <div className="page-head">
        <a href={href(['callers'])}>Callers</a>
        <h1 className="break">{caller}</h1>
      </div>
      <div className="stack">
        {!data && !problem && <Loading what={caller} />}
        {gone && (
          <Notice tone="info" title={data ? 'No longer among the recent callers' : 'Not among the recent callers'}>
            {shown || 'Only the busiest callers are tracked, for a limited time.'}
          </Notice>
        )}
        {problem && !gone && (
          <ProblemNotice problem={problem} again={again}>
            {shown}
          </ProblemNotice>
        )}
        {identity && data?.masked !== true && <CallerActions caller={identity} />}
        {data && (
          <>
            <Summary caller={data} />
            <section className="section">
              <Timeline series={data.series} instances={instances} />
            </section>
          </>
        )}
        {data?.masked && <Masked />}
        {(data ? !data.masked : gone) && <Standing key={caller} name={caller} caller={data} />}
      </div>
    </>
  );
}

/** A shortened name can't be looked up, so that limits can't be explained. */
function Masked() {
  return (
    <Notice tone="info" title="Callers are masked">
      An admin token shows whole names, and why a caller was limited.
    </Notice>
  );
}

/**
 * Explains a caller by its last request, or by its name if that identifies its attributes and it is not tracked. The same
 * component in both cases: a dialog stays open when the caller becomes tracked.
 */
function Standing({ name, caller }: { name: string; caller: OneCaller | null }) {
  const latest = caller?.subject ?? subjectOf(name);
  // The subject when the page was opened: the explained and reset counter must not change while the
  // page is open.
  const [opened, setOpened] = useState(latest);
  if (!opened && latest) setOpened(latest);
  const subject = opened ?? latest;
  if (!subject) return null;
  const isChanged = caller !== null && subjectText(subject) !== subjectText(caller.subject);
  return (
    <section className="section" aria-labelledby="why">
      <h2 id="why">Limits and remaining permits</h2>
      {caller && caller.denied > 0 && (
        <p className="lately">
          Denied about {plural(caller.denied, 'time')} in the last ten minutes
          {caller.rules.length > 0 && ', by '}
          {caller.rules.map((rule, i) => (
            <span key={rule}>
              {i > 0 && ', '}
              <a href={href(['rules', rule])}>{rule}</a>
            </span>
          ))}
          ; older denials count less. Current state:
        </p>
      )}
      {caller && Object.keys(subject).length > 0 && (
        <p className="lately quiet">
          Request: <span className="mono break">{subjectText(subject)}</span>
          {isChanged && (
            <>
              {', changed since. '}
              <button type="button" className="link" onClick={() => setOpened(caller.subject)}>
                Use its latest request
              </button>
            </>
          )}
        </p>
      )}
      <ExplainView subject={subject} caller={identityOf(name)} />
    </section>
  );
}

function Summary({ caller }: { caller: OneCaller }) {
  const all = caller.allowed + caller.denied;
  return (
    <dl className="figures">
      <div className="figure">
        <dt>Per second</dt>
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
        <dt>Last request</dt>
        <dd className="value small mono break">{subjectText(caller.subject)}</dd>
        <dd className="note">{caller.error > 0 ? `counts may be ${count(caller.error)} too high` : 'counts are exact'}</dd>
      </div>
    </dl>
  );
}
