import { useEffect, useState } from 'react';
import type { Answer } from '../../api/client';
import { isAbort } from '../../api/client';
import type { Signed } from '../../api/calls';
import { Problem } from '../../api/problem';
import type { Changed } from '../../api/types';
import { Dialog } from '../../ui/Dialog';
import { AffectedView, DiffView, Warnings } from '../../ui/DiffView';
import { Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { Signing, useSignature } from './Signing';

interface Props {
  title: string;
  verb: string;
  danger?: boolean;
  call: (how: Signed) => Promise<Answer<Changed>>;
  onClose: () => void;
  onDone: (changed: Changed) => void;
}

/**
 * Previews a change, requests a reason, and applies it to exactly the rules that were previewed.
 */
export function ChangeDialog({ title, verb, danger = false, call, onClose, onDone }: Props) {
  const signature = useSignature();
  const [preview, setPreview] = useState<Answer<Changed> | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    call({ ifMatch: null, dryRun: true, signal: stop.signal })
      .then(setPreview)
      .catch((cause: unknown) => {
        if (!stop.signal.aborted && !isAbort(cause)) setProblem(Problem.of(cause));
      });
    return () => stop.abort();
    // the call is a new function in every rendering, but always equivalent
  }, [round]);

  const change = async () => {
    if (!preview) return;
    setBusy(true);
    setProblem(null);
    try {
      const answer = await call({ ifMatch: preview.revision, dryRun: false, ...signature.given });
      onDone(answer.body);
    } catch (cause) {
      setProblem(Problem.of(cause));
      setBusy(false);
    }
  };

  const stale = problem?.status === 412;
  const blocked = !preview || !preview.body.changed || preview.body.readOnly !== undefined;
  return (
    <Dialog title={title} onClose={onClose} wide>
      {problem && <ProblemNotice problem={problem} />}
      {stale && (
        <button type="button" onClick={() => { setProblem(null); setPreview(null); setRound((n) => n + 1); }}>
          Compare again with the latest rules
        </button>
      )}
      {!preview && !problem && <Loading what="the changes" />}
      {preview && (
        <div className="stack tried">
          {preview.body.readOnly && <Notice tone="warning" title="Read-only">{preview.body.readOnly}</Notice>}
          <Warnings warnings={preview.body.warnings} />
          {preview.body.changed ? <DiffView diff={preview.body.diff} /> : <p>Nothing would change: the rules are the same.</p>}
          {preview.body.callers && preview.body.changed && <AffectedView callers={preview.body.callers} />}
        </div>
      )}
      <Signing signature={signature} />
      <div className="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className={danger ? 'danger' : 'primary'} disabled={blocked || busy || stale} onClick={() => void change()}>
          {busy ? 'Working…' : verb}
        </button>
      </div>
    </Dialog>
  );
}
