import { useEffect, useState } from 'react';
import { listRuleRevisions } from '../../api/calls';
import { Problem } from '../../api/problem';
import type { RuleRevision } from '../../api/types';
import { href } from '../../app/route';
import { Edits } from '../../ui/DiffView';
import { Empty, Loading, ProblemNotice } from '../../ui/Notice';
import { moment } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';

const WORDS = { added: 'created', changed: 'changed', removed: 'removed' } as const;

/** The revisions that changed one rule, each with its difference. `round` changes when the rules do. */
export function RuleHistory({ id, round }: { id: string; round: number }) {
  const { data, problem, again } = useAsk(`revisions of ${id} ${round}`, (signal) => listRuleRevisions(id, undefined, signal));
  const [older, setOlder] = useState<{ revisions: RuleRevision[]; next?: number } | null>(null);
  const [moreProblem, setMoreProblem] = useState<Problem | null>(null);
  useEffect(() => setOlder(null), [data]);
  if (problem && !data) return <ProblemNotice problem={problem} again={again} />;
  if (!data) return <Loading what="the history" />;
  const revisions = [...data.revisions, ...(older?.revisions ?? [])];
  const next = older === null ? data.next : older.next;
  const more = async (before: number) => {
    setMoreProblem(null);
    try {
      const page = await listRuleRevisions(id, before);
      setOlder((old) => ({ ...page, revisions: [...(old?.revisions ?? []), ...page.revisions] }));
    } catch (cause) {
      setMoreProblem(Problem.of(cause));
    }
  };
  return (
    <>
      {revisions.length === 0 && <Empty title="No revision changed this rule" />}
      <ol>
        {revisions.map((revision) => (
          <li key={revision.number}>
            <p className="break">{revision.message || <span className="quiet">No reason given</span>}</p>
            <p className="quiet break">
              {WORDS[revision.change]} by {revision.author} · <time dateTime={revision.at}>{moment(Date.parse(revision.at))}</time> ·{' '}
              <a href={href(['history'])}>revision {revision.number}</a>
            </p>
            <Edits edits={revision.fields} />
          </li>
        ))}
      </ol>
      {moreProblem && <ProblemNotice problem={moreProblem} />}
      {next !== undefined && (
        <div className="row more">
          <button type="button" onClick={() => void more(next)}>
            Show older
          </button>
        </div>
      )}
    </>
  );
}
