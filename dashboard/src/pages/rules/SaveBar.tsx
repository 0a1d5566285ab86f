import { useEffect, useState } from 'react';
import { Problem } from '../../api/problem';
import { Notice, ProblemNotice } from '../../ui/Notice';
import { saveRule, type Base, type Review } from './draft';
import { dropDraft } from './kept';
import { Signing, useSignature } from './Signing';

interface Props {
  base: Base;
  review: Review;
  busy: boolean;
  onBusy: (busy: boolean) => void;
  onSaved: (base: Base) => void;
  onUndo: () => void;
  onStale: () => void;
}

export function SaveBar({ base, review, busy, onBusy, onSaved, onUndo, onStale }: Props) {
  const signature = useSignature();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [stale, setStale] = useState(false);
  const ready = review.state === 'valid' && review.result.changed && review.result.readOnly === undefined;
  const verb = base.id === null ? 'Create rule' : 'Save';
  useEffect(() => {
    if (review.state === 'unchanged') setStale(false);
  }, [review.state]);

  const save = async () => {
    if (review.state !== 'valid') return;
    onBusy(true);
    setProblem(null);
    setStale(false);
    try {
      const { revision } = await saveRule(base, review.text, signature.given);
      dropDraft(base.id);
      signature.setMessage('');
      onSaved({ id: review.id, text: review.text, revision: revision.number });
    } catch (cause) {
      const found = Problem.of(cause);
      if (found.status === 412) {
        setStale(true);
        onStale();
      } else {
        setProblem(found);
      }
    } finally {
      onBusy(false);
    }
  };

  return (
    <form
      className="save-bar"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !busy) void save();
      }}
    >
      {problem && <ProblemNotice problem={problem} />}
      {stale && review.state === 'valid' && (
        <Notice tone="warning" title="Not saved: the rules were changed in the meantime">
          Review the changes, and press {verb} again.
        </Notice>
      )}
      <Signing signature={signature} />
      <div className="row end">
        <button type="button" onClick={onUndo} disabled={review.state === 'unchanged' || review.state === 'template' || busy}>
          Undo all
        </button>
        <button type="submit" className="primary" disabled={!ready || busy}>
          {busy ? 'Saving…' : verb}
        </button>
      </div>
    </form>
  );
}
