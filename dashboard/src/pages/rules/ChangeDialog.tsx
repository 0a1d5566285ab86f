import { useEffect, useState } from 'react';
import type { Answer } from '../../api/client';
import { isAbort } from '../../api/client';
import type { Signed } from '../../api/calls';
import { Problem } from '../../api/problem';
import type { Changed } from '../../api/types';
import { Dialog } from '../../ui/Dialog';
import { AffectedView, DiffView } from '../../ui/DiffView';
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

/** Shows what a change would do, asks why, and does it to exactly the rules that were shown. */
export function ChangeDialog({ title, verb, danger = false, call, onClose, onDone }: Props) {
  const signature = useSignature();
  const [tried, setTried] = useState<Answer<Changed> | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    call({ ifMatch: null, dryRun: true, signal: stop.signal })
      .then(setTried)
      .catch((cause: unknown) => {
        if (!stop.signal.aborted && !isAbort(cause)) setProblem(Problem.of(cause));
      });
    return () => stop.abort();
    // the call is made anew with every rendering, and always the same
  }, [round]);

  const change = async () => {
    if (!tried) return;
    setBusy(true);
    setProblem(null);
    try {
      const answer = await call({ ifMatch: tried.revision, dryRun: false, ...signature.given });
      onDone(answer.body);
    } catch (cause) {
      setProblem(Problem.of(cause));
      setBusy(false);
    }
  };

  const stale = problem?.status === 409;
  const blocked = !tried || !tried.body.changed || tried.body.readOnly !== undefined;
  return (
    <Dialog title={title} onClose={onClose} wide>
      {problem && <ProblemNotice problem={problem} />}
      {stale && (
        <button type="button" onClick={() => { setProblem(null); setTried(null); setRound((n) => n + 1); }}>
          Look at it again, against the newest rules
        </button>
      )}
      {!tried && !problem && <Loading what="what would change" />}
      {tried && (
        <div className="stack tried">
          {tried.body.readOnly && <Notice tone="warning" title="It can not be done here">{tried.body.readOnly}</Notice>}
          {tried.body.changed ? <DiffView diff={tried.body.diff} /> : <p>Nothing would change: the rules are the same.</p>}
          {tried.body.callers && tried.body.changed && <AffectedView callers={tried.body.callers} />}
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
