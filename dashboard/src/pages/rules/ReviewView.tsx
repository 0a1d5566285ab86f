import { AffectedView, DiffView } from '../../ui/DiffView';
import { Notice, ProblemNotice } from '../../ui/Notice';
import { moment, plural } from '../../ui/format';
import type { Base, Conflict, Review } from './draft';

interface Props {
  base: Base;
  review: Review;
  text: string;
  onTake: (base: Base, text: string) => void;
}

/** What the service says to the text as it stands. */
export function ReviewView({ base, review, text, onTake }: Props) {
  switch (review.state) {
    case 'unchanged':
      return (
        <>
          <h2>What would change</h2>
          <p className="quiet">Nothing yet. Whatever is written is tried against the service at once, and changes nothing until it is saved.</p>
        </>
      );
    case 'checking':
      return (
        <>
          <h2>What would change</h2>
          <p className="quiet" role="status">Trying…</p>
        </>
      );
    case 'invalid':
      return <Notice tone="bad" title={`Not valid: ${plural(Math.max(1, review.problem.flaws.length), 'mistake')}`}>Nothing can be saved until it is mended.</Notice>;
    case 'failed':
      return <ProblemNotice problem={review.problem} />;
    case 'conflict':
      return <ConflictView base={base} conflict={review.conflict} text={text} onTake={onTake} />;
    case 'valid':
      return <Valid base={base} review={review} />;
  }
}

function Valid({ base, review }: { base: Base; review: Extract<Review, { state: 'valid' }> }) {
  const { result } = review;
  const replaces = base.id === null && result.diff.changes.some((change) => change.id === review.id && change.change === 'changed');
  return (
    <>
      <h2>What would change</h2>
      {result.readOnly && <Notice tone="warning" title="It can not be saved here">{result.readOnly}</Notice>}
      {replaces && <Notice tone="warning" title={`There is a rule ${review.id} already`}>Saving replaces it. Give another id to add a new one.</Notice>}
      {result.changed ? (
        <>
          <p role="status">Valid, tried against revision {result.revision.number}.</p>
          <DiffView diff={result.diff} />
          {result.callers && <AffectedView callers={result.callers} />}
        </>
      ) : (
        <p role="status">Valid, and the same as what is in force.</p>
      )}
    </>
  );
}

function ConflictView({ base, conflict, text, onTake }: { base: Base; conflict: Conflict; text: string; onTake: Props['onTake'] }) {
  const { theirs, by, revision } = conflict;
  const who = by
    ? `${by.author} saved revision ${by.number} at ${moment(Date.parse(by.at))}`
    : `It was changed, by revision ${revision} at the latest,`;
  return (
    <>
      <Notice tone="warning" title="Somebody else changed this rule">
        <p>
          {who}
          {by?.message && <> (“{by.message}”)</>} while you were editing revision {base.revision}. Nothing of yours is lost.
        </p>
      </Notice>
      <h3>Theirs</h3>
      {theirs === null ? <p className="quiet">They removed the rule.</p> : <pre className="theirs">{theirs}</pre>}
      <div className="row">
        <button type="button" className="primary" onClick={() => onTake({ id: base.id, text: theirs ?? '', revision }, text)}>
          Keep mine, compare with theirs
        </button>
        {theirs !== null && (
          <button type="button" onClick={() => onTake({ id: base.id, text: theirs, revision }, theirs)}>
            Take theirs
          </button>
        )}
      </div>
    </>
  );
}
