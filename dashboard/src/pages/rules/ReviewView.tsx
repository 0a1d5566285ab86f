import { AffectedView, DiffView, Warnings } from '../../ui/DiffView';
import { Notice, ProblemNotice } from '../../ui/Notice';
import { moment, plural } from '../../ui/format';
import type { Base, Conflict, Review } from './draft';

interface Props {
  base: Base;
  review: Review;
  text: string;
  onTake: (base: Base, text: string) => void;
}

/** Shows the service's response to the current text. */
export function ReviewView({ base, review, text, onTake }: Props) {
  switch (review.state) {
    case 'unchanged':
      return (
        <>
          <h2>Changes</h2>
          <p className="quiet">No changes yet. The service validates the text as you type; nothing changes until you save.</p>
        </>
      );
    case 'template':
      return (
        <>
          <h2>Changes</h2>
          <p className="quiet">
            This is a template. Give the rule its own id, and set what it matches and its limit. A new rule starts in shadow mode: it reports
            what it would deny, and denies nothing.
          </p>
        </>
      );
    case 'checking':
      return (
        <>
          <h2>Changes</h2>
          <p className="quiet" role="status">Validating…</p>
        </>
      );
    case 'invalid':
      return <Notice tone="bad" title={`Not valid: ${plural(Math.max(1, review.problem.flaws.length), 'error')}`}>Correct the errors before saving.</Notice>;
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
      <h2>Changes</h2>
      {result.readOnly && <Notice tone="warning" title="Read-only">{result.readOnly}</Notice>}
      {replaces && <Notice tone="warning" title={`A rule ${review.id} already exists`}>Saving replaces it. Use another id to add a new rule.</Notice>}
      {result.changed ? (
        <>
          <p role="status">Valid, checked against revision {result.revision.number}.</p>
          <Warnings warnings={result.warnings} />
          <DiffView diff={result.diff} />
          {result.callers && <AffectedView callers={result.callers} />}
        </>
      ) : (
        <p role="status">Valid, and equal to the rule in force.</p>
      )}
    </>
  );
}

function ConflictView({ base, conflict, text, onTake }: { base: Base; conflict: Conflict; text: string; onTake: Props['onTake'] }) {
  const { theirs, by, revision } = conflict;
  const who = by
    ? `${by.author} saved revision ${by.number} at ${moment(Date.parse(by.at))}`
    : `It was changed by revision ${revision} or earlier`;
  return (
    <>
      <Notice tone="warning" title="This rule was changed by another user">
        <p>
          {who}
          {by?.message && <> (“{by.message}”)</>} while you were editing revision {base.revision}. Your changes are kept.
        </p>
      </Notice>
      <h3>Current version</h3>
      {theirs === null ? <p className="quiet">The rule was removed.</p> : <pre className="theirs">{theirs}</pre>}
      <div className="row">
        <button type="button" className="primary" onClick={() => onTake({ id: base.id, text: theirs ?? '', revision }, text)}>
          Keep my changes and compare
        </button>
        {theirs !== null && (
          <button type="button" onClick={() => onTake({ id: base.id, text: theirs, revision }, theirs)}>
            Use the current version
          </button>
        )}
      </div>
    </>
  );
}
