import { useEffect, useRef, useState } from 'react';
import type { Problem } from '../../api/problem';
import type { Subject } from '../../api/types';
import { useAccount } from '../../app/account';
import { go, href, replaceHash, useRoute } from '../../app/route';
import { useLive } from '../../live/live';
import { Editor } from '../../ui/Editor';
import { Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { useReview } from './draft';
import { DeleteRule } from './DeleteRule';
import { DraftOffer } from './DraftOffer';
import { useEditing } from './editing';
import { RuleForm } from './form/RuleForm';
import { ReviewView } from './ReviewView';
import { SaveBar } from './SaveBar';

interface Props {
  /** Null to create a rule. */
  id: string | null;
  /** Attributes of a caller that an override is prepared for. */
  overrideFor?: Subject | null;
}

/** Edits one rule, as a form and as text, or creates one. */
export function EditRulePage({ id, overrideFor = null }: Props) {
  const { mayChange } = useAccount();
  const { rulesChanged } = useLive();
  const editing = useEditing(id, mayChange, overrideFor);
  const { base, text, touched, problem, offer, load } = editing;
  const [saved, setSaved] = useSaved(id);
  const [saving, setSaving] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const review = useReview(base, text, mayChange, rulesChanged, editing.rebase);

  const seen = useRef(rulesChanged);
  useEffect(() => {
    if (seen.current === rulesChanged) return;
    seen.current = rulesChanged;
    // An unedited rule is reloaded; the review handles an edited one.
    if (base?.id != null && !touched) load();
  }, [rulesChanged, base, touched]);
  const readOnly = !mayChange || saving || offer !== null;
  const flaws = review.state === 'invalid' ? flawsOf(review.problem) : [];
  return (
    <>
      <div className="page-head">
        <a href={href(['rules'])}>Rules</a>
        {id !== null && <a className="break" href={href(['rules', id])}>{id}</a>}
        <h1 className="break">{id === null ? 'New rule' : mayChange ? `Edit ${id}` : `Definition of ${id}`}</h1>
        <span className="spring" />
        {id !== null && base && (
          <a className="button" href={href(['what-if'], { rule: id })}>
            Simulate…
          </a>
        )}
        {id !== null && base && mayChange && (
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            Delete…
          </button>
        )}
      </div>
      {problem && <ProblemNotice problem={problem} again={load} />}
      {!problem && !base && <Loading what={id ?? 'the template'} />}
      {base && (
        <div className="sides rule-page">
          <section className="section" aria-label="The rule as a form">
            <RuleForm text={text} onChange={editing.write} readOnly={readOnly} isNew={id === null} />
          </section>
          <section className="section stack" aria-label="The rule">
            {saved !== null && saved === base.revision && review.state === 'unchanged' && (
              <Notice tone="good" title={`Saved: revision ${saved} is in force`} />
            )}
            {offer && <DraftOffer draft={offer} onTake={editing.restore} onDrop={editing.drop} />}
            <Editor
              label={mayChange ? 'YAML or JSON' : 'The rule'}
              value={text}
              onChange={editing.write}
              flaws={flaws}
              readOnly={readOnly}
            />
            {!mayChange && <p className="quiet">Changing rules requires an admin token.</p>}
            <ReviewView base={base} review={review} text={text} onTake={editing.replace} />
            {mayChange && (
              <SaveBar
                base={base}
                review={review}
                busy={saving}
                onBusy={setSaving}
                onSaved={(next) => {
                  if (base.id === null) {
                    go(href(['rules', next.id ?? '', 'edit'], { saved: String(next.revision) }));
                    return;
                  }
                  editing.rebase(next);
                  setSaved(next.revision);
                  load(); // reload in canonical form
                }}
                onUndo={() => editing.write(base.text)}
                onStale={() => editing.rebase({ ...base })}
              />
            )}
          </section>
        </div>
      )}
      {deleting && base?.id && <DeleteRule id={base.id} onClose={() => setDeleting(false)} />}
    </>
  );
}

/** Returns the revision just saved. For a new rule it is passed once in the URL. */
function useSaved(id: string | null) {
  const fromUrl = Number(useRoute().query.get('saved')) || null;
  const state = useState(fromUrl);
  useEffect(() => {
    if (fromUrl !== null && id !== null) replaceHash(href(['rules', id, 'edit']));
  }, [fromUrl, id]);
  return state;
}

/** Returns the errors of a problem. A problem without positions becomes a single error. */
function flawsOf(problem: Problem) {
  if (problem.flaws.length > 0) return problem.flaws;
  return [{ message: problem.detail, ...(problem.field ? { field: problem.field } : {}) }];
}
