import { useRef, useState } from 'react';
import { putRule, readRule, type Signed } from '../../api/calls';
import type { Subject } from '../../api/types';
import { href } from '../../app/route';
import { Dialog } from '../../ui/Dialog';
import { Loading, ProblemNotice } from '../../ui/Notice';
import { subjectText } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { toYaml } from '../../yaml/print';
import { isMap, type Value, type ValueMap } from '../../yaml/tree';
import { ChangeDialog } from '../rules/ChangeDialog';
import { LimitFields } from '../rules/form/LimitFields';
import { countOf, limitWords, rateOf, rateText } from '../rules/form/words';
import { overrideOf, withLimitFor } from '../rules/overrides';

interface Props {
  rule: string;
  caller: Subject;
  onClose: () => void;
  onDone: () => void;
}

/** Returns the limit that a rule has for a caller: that of its override, or the rule's own. Null if there are several. */
export function limitFor(rule: ValueMap, caller: Subject): ValueMap | null {
  const at = overrideOf(rule, caller);
  const override = at < 0 || !Array.isArray(rule['overrides']) ? undefined : rule['overrides'][at];
  const own = isMap(rule['limit']) ? rule['limit'] : null;
  if (!isMap(override)) return own;
  return isMap(override['limit']) ? { ...own, ...override['limit'] } : null;
}

/** Doubles what a limit admits, as a proposal. */
export function doubled(limit: ValueMap): ValueMap {
  const rate = rateOf(limit['rate']);
  const twice = (value: Value | undefined) => 2 * (countOf(value) ?? 1);
  return {
    ...limit,
    ...(rate ? { rate: rateText({ ...rate, count: String(twice(rate.count)) }) } : {}),
    ...(limit['burst'] === undefined ? {} : { burst: twice(limit['burst']) }),
    ...(limit['max'] === undefined ? {} : { max: twice(limit['max']) }),
  };
}

/** Gives one caller another limit, by an override of the rule. */
export function RaiseDialog({ rule, caller, onClose, onDone }: Props) {
  const { data, problem, again } = useAsk(`raise ${rule}`, (signal) => readRule(rule, signal));
  const [chosen, setChosen] = useState<ValueMap | null>(null);
  const [reviewing, setReviewing] = useState(false);
  const limit = data ? limitFor(data.body as ValueMap, caller) : null;
  const next = chosen ?? (limit && doubled(limit));
  const written = useRef('');
  if (reviewing && next) {
    const call = async (how: Signed) => {
      // The preview is of the newest rule, and what was previewed is saved.
      if (how.dryRun) written.current = toYaml(withLimitFor((await readRule(rule, how.signal)).body as ValueMap, caller, next));
      return putRule(rule, written.current, how);
    };
    return <ChangeDialog title={`Another limit for ${subjectText(caller)}`} verb="Save" call={call} onClose={onClose} onDone={onDone} />;
  }
  return (
    <Dialog title={`${rule}: raise the limit of ${subjectText(caller)}`} onClose={onClose} wide>
      {problem && <ProblemNotice problem={problem} again={again} />}
      {!data && !problem && <Loading what={rule} />}
      {data && !limit && (
        <p>
          This rule has more than one limit for it. <a href={href(['rules', rule, 'edit'])}>Edit the rule</a> instead.
        </p>
      )}
      {limit && next && (
        <>
          <p>
            Now: <strong>{limitWords(limit)}</strong>. Other callers keep their limit.
          </p>
          <LimitFields limit={next} of="this caller" onChange={setChosen} />
        </>
      )}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="primary" disabled={!next} onClick={() => setReviewing(true)}>
          Review…
        </button>
      </div>
    </Dialog>
  );
}
