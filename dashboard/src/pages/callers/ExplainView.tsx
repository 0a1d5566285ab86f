import { useState, type ReactNode } from 'react';
import { explain, reset } from '../../api/calls';
import { Problem } from '../../api/problem';
import type { Explained, Subject } from '../../api/types';
import { useAccount } from '../../app/account';
import { href } from '../../app/route';
import { Announce } from '../../ui/Announce';
import { Dialog } from '../../ui/Dialog';
import { Loading, Mark, Notice, ProblemNotice } from '../../ui/Notice';
import { moment, plural, subjectText } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { callerText } from './name';
import { RaiseDialog } from './RaiseDialog';
import { heldSentence, isDeny, isSpent, limitSentence, reasonText, summarize } from './explained';

interface Props {
  subject: Subject;
  /** The attributes that identify the caller, if an override for it can be made. */
  caller?: Subject | null;
}

/** Shows which rules apply to a subject, why, and the remaining permits of each limit. */
export function ExplainView({ subject, caller = null }: Props) {
  const { mayChange } = useAccount();
  const { data, at, problem, again } = useAsk(`explain ${JSON.stringify(subject)}`, (signal) => explain(subject, signal), 2000);
  const [resetting, setResetting] = useState<{ rule: string; subject: Subject } | null>(null);
  const [resetRule, setResetRule] = useState<string | null>(null);
  const [raising, setRaising] = useState<{ rule: string; caller: Subject } | null>(null);
  if (problem && !data) return <ProblemNotice problem={problem} again={again} />;
  if (!data) return <Loading what="the explanation" />;
  const summary = summarize(data);
  // The subject may change while the dialog is open; the one to reset does not.
  const toReset = (rule: string) => (mayChange ? { onReset: () => setResetting({ rule, subject }) } : {});
  return (
    <div className="stack explain">
      <p className="said">
        <Mark tone={summary.limited ? 'bad' : summary.text.startsWith('Unknown') ? 'warning' : 'good'} /> {summary.text}
      </p>
      <Announce when={`${subjectText(subject)} ${summary.limited}`} text={summary.text} first />
      {problem && (
        <ProblemNotice problem={problem} again={again}>
          {at !== null && `Data from ${moment(at)}.`}
        </ProblemNotice>
      )}
      {resetRule && <Notice tone="good" title={`The counter of ${resetRule} was reset`} />}
      {data.rules.map((rule) => (
        <RuleStanding key={rule.id} rule={rule} {...toReset(rule.id)}>
          {mayChange && caller && rule.limits.some((limit) => !isDeny(limit)) && (
            <>
              <button type="button" onClick={() => setRaising({ rule: rule.id, caller })}>
                Raise to…
              </button>
              <a className="button" href={href(['rules', rule.id, 'edit'], { for: callerText(caller) })}>
                Add override for this caller
              </a>
            </>
          )}
        </RuleStanding>
      ))}
      {data.nearMisses.length > 0 && (
        <details>
          <summary>
            {plural(data.notApplying, 'rule does', 'rules do')} not apply
            {data.notApplying > data.nearMisses.length && `; the nearest ${data.nearMisses.length}:`}
          </summary>
          <ul className="misses">
            {data.nearMisses.map((rule) => (
              <li key={rule.id}>
                <a href={href(['rules', rule.id])}>{rule.id}</a> <span className="quiet break">{rule.reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {raising !== null && (
        <RaiseDialog
          {...raising}
          onClose={() => setRaising(null)}
          onDone={() => {
            setRaising(null);
            again();
          }}
        />
      )}
      {resetting !== null && (
        <ResetDialog
          subject={resetting.subject}
          rule={resetting.rule}
          onClose={() => setResetting(null)}
          onDone={() => {
            setResetRule(resetting.rule);
            setResetting(null);
            again();
          }}
        />
      )}
    </div>
  );
}

function RuleStanding({ rule, onReset, children }: { rule: Explained; onReset?: () => void; children?: ReactNode }) {
  return (
    <div className="standing">
      <div className="row">
        <a href={href(['rules', rule.id])}>
          <strong>{rule.id}</strong>
        </a>
        {rule.mode !== 'enforce' && <span className={`tag ${rule.mode}`}>{rule.mode}</span>}
        {rule.override !== null && <span className="tag">override {rule.override}</span>}
        <span className="quiet break">{reasonText(rule)}</span>
        <span className="spring" />
        {children}
        {onReset && (
          <button type="button" onClick={onReset}>
            Reset…
          </button>
        )}
      </div>
      {rule.limits.map((limit) => (
        <div key={limit.name} className={isSpent(limit) ? 'limit spent' : 'limit'}>
          <span className="mono">{limit.name === rule.id ? limit.algorithm : `${limit.name}, ${limit.algorithm}`}</span>
          {limit.remaining !== null && (
            <meter min={0} max={Math.max(1, limit.limit)} value={Math.max(0, limit.remaining)} aria-label={`Left under ${limit.name}`} />
          )}
          <span className="num">{limitSentence(limit)}</span>
        </div>
      ))}
      {rule.reservations?.map((held) => (
        <p key={held.limit} className="quiet held">
          {heldSentence(held, held.limit === rule.id)}
        </p>
      ))}
    </div>
  );
}

interface ResetProps {
  subject: Subject;
  rule: string;
  onClose: () => void;
  onDone: () => void;
}

function ResetDialog({ subject, rule, onClose, onDone }: ResetProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      await reset(subject, rule);
      onDone();
    } catch (cause) {
      setProblem(Problem.of(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Reset ${rule}?`} onClose={onClose}>
      <p>
        This resets the counter of <strong className="break">{subjectText(subject)}</strong> under <strong>{rule}</strong> on all
        instances, including for other callers that share it.
      </p>
      {problem && <ProblemNotice problem={problem} />}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="danger" disabled={busy} onClick={() => void confirm()}>
          Reset the counter
        </button>
      </div>
    </Dialog>
  );
}
