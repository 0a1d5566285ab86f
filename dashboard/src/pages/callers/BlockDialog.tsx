import { useId, useState } from 'react';
import { putRule } from '../../api/calls';
import { Problem } from '../../api/problem';
import type { Subject } from '../../api/types';
import { Dialog } from '../../ui/Dialog';
import { href } from '../../app/route';
import { Notice, ProblemNotice } from '../../ui/Notice';
import { subjectText } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { Signing, useSignature } from '../rules/Signing';
import { blockRule, type Block } from './blocks';
import { exemptionsOf } from './exemptions';

const MINUTE_MS = 60_000;
const DURATIONS = [
  { value: 15 * MINUTE_MS, name: '15 minutes' },
  { value: 60 * MINUTE_MS, name: '1 hour' },
  { value: 480 * MINUTE_MS, name: '8 hours' },
  { value: 1440 * MINUTE_MS, name: '1 day' },
  { value: 10_080 * MINUTE_MS, name: '1 week' },
  { value: 0, name: 'until it is unblocked' },
];

interface Props {
  caller: Subject;
  /** An earlier block of this caller, which is replaced. */
  former: Block | undefined;
  onClose: () => void;
  onDone: () => void;
}

/** Blocks a caller by a rule that denies its requests, and that ends by itself if a time is chosen. */
export function BlockDialog({ caller, former, onClose, onDone }: Props) {
  const signature = useSignature();
  const [forMs, setForMs] = useState(60 * MINUTE_MS);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const exemptions = useAsk(`exemptions ${subjectText(caller)}`, (signal) => exemptionsOf(caller, signal));
  const id = useId();
  const reason = signature.given.message;
  const block = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const rule = blockRule(caller, reason, forMs === 0 ? null : Date.now() + forMs, former);
      await putRule(rule.id, rule.text, { ifMatch: null, dryRun: false, ...signature.given });
      onDone();
    } catch (cause) {
      setProblem(Problem.of(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Block this caller?" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (reason !== '' && !busy) void block();
        }}
      >
        <p>
          Every request with <strong className="break">{subjectText(caller)}</strong> is refused with status 403, by a rule of its own. Rules that
          exempt the caller take precedence.
        </p>
        {exemptions.problem && <ProblemNotice problem={exemptions.problem} again={exemptions.again} />}
        {exemptions.data && exemptions.data.length > 0 && (
          <Notice tone="warning" title="The block has no effect while the caller is exempt">
            <p>
              It is excused from all limits by{' '}
              {exemptions.data.map((rule, i) => (
                <span key={rule}>
                  {i > 0 && ', '}
                  <a href={href(['rules', rule])}>{rule}</a>
                </span>
              ))}
              . Change or delete {exemptions.data.length === 1 ? 'this rule' : 'these rules'} first.
            </p>
          </Notice>
        )}
        {problem && <ProblemNotice problem={problem} />}
        <div className="field">
          <label htmlFor={id}>For how long</label>
          <select id={id} value={forMs} onChange={(event) => setForMs(Number(event.target.value))}>
            {DURATIONS.map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <Signing signature={signature} />
        <div className="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="danger" disabled={reason === '' || busy}>
            {busy ? 'Working…' : 'Block'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
