import { useEffect, useId, useRef, useState } from 'react';
import { listRevisions, readRevision, restoreRevision } from '../../api/calls';
import { Problem } from '../../api/problem';
import type { Changed, Revision } from '../../api/types';
import { useAccount } from '../../app/account';
import { href } from '../../app/route';
import { useLive } from '../../live/live';
import { DiffView } from '../../ui/DiffView';
import { Empty, Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { moment, plural } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { ChangeDialog } from './ChangeDialog';
import { noRevisions, withNewest, withOlder } from './revisions';

export function HistoryPage() {
  const { rulesChanged } = useLive();
  const [round, setRound] = useState(0);
  const { data, problem, again } = useAsk(`history ${rulesChanged} ${round}`, (signal) => listRevisions(undefined, signal));
  const [known, setKnown] = useState(noRevisions);
  const [moreProblem, setMoreProblem] = useState<Problem | null>(null);
  const [restoring, setRestoring] = useState<number | null>(null);
  const [done, setDone] = useState<Changed | null>(null);
  const busy = useRef(false);
  useEffect(() => {
    if (data) setKnown((old) => withNewest(old, data));
  }, [data]);
  const { revisions, next } = known;
  const loaded = data !== null || revisions.length > 0;
  const more = async () => {
    if (next === undefined || busy.current) return;
    busy.current = true;
    setMoreProblem(null);
    try {
      const page = await listRevisions(next);
      setKnown((old) => withOlder(old, page));
    } catch (cause) {
      setMoreProblem(Problem.of(cause));
    } finally {
      busy.current = false;
    }
  };
  return (
    <>
      <div className="page-head">
        <a href={href(['rules'])}>Rules</a>
        <h1>History</h1>
      </div>
      {done && (
        <Notice tone="good" title={done.changed ? `Revision ${done.revision.number} is in force` : 'Nothing changed'} />
      )}
      {problem && <ProblemNotice problem={problem} again={again} />}
      {!loaded && !problem && <Loading what="the history" />}
      {loaded && (
        <section className="section history" aria-label="Revisions">
          {data?.revisions.length === 0 && <Empty title="No revisions yet" />}
          <ol>
            {revisions.map((revision) => (
              <RevisionRow
                key={revision.number}
                revision={revision}
                newest={revision === revisions[0]}
                onRestore={() => {
                  setDone(null);
                  setRestoring(revision.number);
                }}
              />
            ))}
          </ol>
          {moreProblem && <ProblemNotice problem={moreProblem} />}
          {next !== undefined && (
            <div className="row more">
              <button type="button" onClick={() => void more()}>
                Show older
              </button>
            </div>
          )}
        </section>
      )}
      {restoring !== null && (
        <ChangeDialog
          title={`Restore the rules of revision ${restoring}?`}
          verb={`Restore revision ${restoring}`}
          call={(how) => restoreRevision(restoring, how)}
          onClose={() => setRestoring(null)}
          onDone={(changed) => {
            setRestoring(null);
            setDone(changed);
            setRound((n) => n + 1);
          }}
        />
      )}
    </>
  );
}

function RevisionRow({ revision, newest, onRestore }: { revision: Revision; newest: boolean; onRestore: () => void }) {
  const { mayChange } = useAccount();
  const [open, setOpen] = useState(false);
  const name = useId();
  return (
    <li>
      <div className="revision">
        <button type="button" className="plain toggle" aria-expanded={open} aria-controls={name} onClick={() => setOpen(!open)}>
          <svg viewBox="0 0 10 10" aria-hidden="true" className={open ? 'open' : undefined}>
            <path d="M3 1.5L7 5 3 8.5" />
          </svg>
          <span className="num">{revision.number}</span>
          <span className="hidden">: show what changed</span>
        </button>
        <div className="what">
          <p className="break">
            {revision.message || <span className="quiet">{revision.restored === undefined ? 'No reason given' : `Restored revision ${revision.restored}`}</span>}
          </p>
          <p className="quiet break">
            {revision.author} · <time dateTime={revision.at}>{moment(Date.parse(revision.at))}</time> · {changesText(revision)} ·{' '}
            {plural(revision.rules, 'rule')}
            {revision.restored !== undefined && revision.message && ` · restored revision ${revision.restored}`}
          </p>
        </div>
        {newest ? (
          <span className="tag">newest</span>
        ) : (
          mayChange && (
            <button type="button" onClick={onRestore}>
              Restore…
            </button>
          )
        )}
      </div>
      <div id={name} hidden={!open}>
        {open && <RevisionDiff number={revision.number} />}
      </div>
    </li>
  );
}

function changesText({ added, changed, removed }: Revision): string {
  const parts = [added && `${added} added`, changed && `${changed} changed`, removed && `${removed} removed`].filter(Boolean);
  return parts.length === 0 ? 'no rule changed' : parts.join(', ');
}

function RevisionDiff({ number }: { number: number }) {
  const { data, problem, again } = useAsk(`revision ${number}`, (signal) => readRevision(number, signal));
  if (problem) return <ProblemNotice problem={problem} again={again} />;
  if (!data) return <Loading what="the difference" />;
  return data.diff ? <DiffView diff={data.diff} /> : <p className="quiet">The previous revision is no longer available.</p>;
}
