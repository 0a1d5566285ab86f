import { useState } from 'react';
import { putRule } from '../../api/calls';
import { Problem } from '../../api/problem';
import { go, href } from '../../app/route';
import { ProblemNotice } from '../../ui/Notice';
import type { Base, Review } from './draft';
import { Signing, useSignature } from './Signing';

interface Props {
  base: Base;
  review: Review;
  onSaved: (base: Base, revision: number) => void;
  onUndo: () => void;
  onStale: () => void;
}

export function SaveBar({ base, review, onSaved, onUndo, onStale }: Props) {
  const signature = useSignature();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const ready = review.state === 'valid' && review.result.changed && review.result.readOnly === undefined;

  const save = async () => {
    if (review.state !== 'valid') return;
    setBusy(true);
    setProblem(null);
    try {
      const { body } = await putRule(review.id, review.text, { ifMatch: base.revision, dryRun: false, ...signature.given });
      signature.setMessage('');
      if (base.id === null) go(href(['rules', review.id], { saved: String(body.revision.number) }));
      else onSaved({ id: review.id, text: review.text, revision: body.revision.number }, body.revision.number);
    } catch (cause) {
      const found = Problem.of(cause);
      if (found.status === 409) onStale();
      else setProblem(found);
    } finally {
      setBusy(false);
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
      <Signing signature={signature} />
      <div className="row end">
        <button type="button" onClick={onUndo} disabled={review.state === 'unchanged' || busy}>
          Undo all
        </button>
        <button type="submit" className="primary" disabled={!ready || busy}>
          {busy ? 'Saving…' : base.id === null ? 'Create rule' : 'Save'}
        </button>
      </div>
    </form>
  );
}
