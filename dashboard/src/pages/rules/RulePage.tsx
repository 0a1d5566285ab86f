import { useEffect, useRef, useState } from 'react';
import type { Problem } from '../../api/problem';
import { useAccount } from '../../app/account';
import { go, href, replaceHash, useRoute } from '../../app/route';
import { useLive } from '../../live/live';
import { Editor } from '../../ui/Editor';
import { Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { rate } from '../../ui/format';
import { useReview } from './draft';
import { DeleteRule } from './DeleteRule';
import { DraftOffer } from './DraftOffer';
import { useEditing } from './editing';
import { ReviewView } from './ReviewView';
import { SaveBar } from './SaveBar';

/** Shows and edits one rule, or creates one if `id` is null. */
export function RulePage({ id }: { id: string | null }) {
  const { mayChange } = useAccount();
  const { rulesChanged } = useLive();
  const editing = useEditing(id, mayChange);
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
  const flaws = review.state === 'invalid' ? flawsOf(review.problem) : [];
  return (
    <>
      <div className="page-head">
        <a href={href(['rules'])}>Rules</a>
        <h1 className="break">{id ?? 'New rule'}</h1>
        {id !== null && <RuleRate id={id} />}
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
        <div className="sides main-left rule-page">
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
              readOnly={!mayChange || saving || offer !== null}
            />
            {!mayChange && <p className="quiet">Changing rules requires an admin token.</p>}
          </section>
          <section className="section stack" aria-label="Changes">
            <ReviewView base={base} review={review} text={text} onTake={editing.replace} />
            {mayChange && (
              <SaveBar
                base={base}
                review={review}
                busy={saving}
                onBusy={setSaving}
                onSaved={(next) => {
                  if (base.id === null) {
                    go(href(['rules', next.id ?? ''], { saved: String(next.revision) }));
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
    if (fromUrl !== null && id !== null) replaceHash(href(['rules', id]));
  }, [fromUrl, id]);
  return state;
}

/** Returns the errors of a problem. A problem without positions becomes a single error. */
function flawsOf(problem: Problem) {
  if (problem.flaws.length > 0) return problem.flaws;
  return [{ message: problem.detail, ...(problem.field ? { field: problem.field } : {}) }];
}

function RuleRate({ id }: { id: string }) {
  const { stats } = useLive();
  const rates = stats?.byRule.find((rule) => rule.rule === id);
  if (!stats) return null;
  if (!rates) return <span className="quiet">no checks in the last ten seconds</span>;
  return (
    <span className="quiet">
      {rate(rates.allowed)} allowed, {rate(rates.denied)} denied
      {rates.shadowDenied > 0 && `, ${rate(rates.shadowDenied)} shadow-denied`} per second
      {stats.instances > 1 && ', on this instance'}
    </span>
  );
}
