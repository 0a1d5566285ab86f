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

/** One rule: to be read, changed, or written if `id` is null. */
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
    // What nobody has begun to edit is shown as it is now; the review sees to the rest.
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
            What if…
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
            {offer && <DraftOffer draft={offer} onTake={editing.takeUp} onDrop={editing.drop} />}
            <Editor
              label={mayChange ? 'YAML or JSON' : 'The rule'}
              value={text}
              onChange={editing.write}
              flaws={flaws}
              readOnly={!mayChange || saving || offer !== null}
            />
            {!mayChange && <p className="quiet">Changing rules takes an admin token.</p>}
          </section>
          <section className="section stack" aria-label="What would change">
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
                  load(); // as the service keeps it
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

/** The revision that was just saved: a new rule is told it by the address, once. */
function useSaved(id: string | null) {
  const told = Number(useRoute().query.get('saved')) || null;
  const state = useState(told);
  useEffect(() => {
    if (told !== null && id !== null) replaceHash(href(['rules', id]));
  }, [told, id]);
  return state;
}

/** A problem of the whole has no line, and is shown all the same. */
function flawsOf(problem: Problem) {
  if (problem.flaws.length > 0) return problem.flaws;
  return [{ message: problem.detail, ...(problem.field ? { field: problem.field } : {}) }];
}

function RuleRate({ id }: { id: string }) {
  const { stats } = useLive();
  const rates = stats?.byRule.find((rule) => rule.rule === id);
  if (!stats) return null;
  if (!rates) return <span className="quiet">not asked in the last ten seconds</span>;
  return (
    <span className="quiet">
      {rate(rates.allowed)} allowed, {rate(rates.denied)} denied
      {rates.shadowDenied > 0 && `, ${rate(rates.shadowDenied)} shadow-denied`} a second
      {stats.instances > 1 && ', at this instance'}
    </span>
  );
}
