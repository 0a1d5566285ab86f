import { useEffect, useRef, useState } from 'react';
import { readRule } from '../../api/calls';
import { isAbort } from '../../api/client';
import { Problem } from '../../api/problem';
import { useAccount } from '../../app/account';
import { href, useRoute } from '../../app/route';
import { useLive } from '../../live/live';
import { Editor } from '../../ui/Editor';
import { Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { rate } from '../../ui/format';
import { newestRevision, TEMPLATE, useReview, type Base } from './draft';
import { DeleteRule } from './DeleteRule';
import { ReviewView } from './ReviewView';
import { SaveBar } from './SaveBar';
import { toYaml } from './yaml';

/** One rule: to be read, changed, or written if `id` is null. */
export function RulePage({ id }: { id: string | null }) {
  const { mayChange } = useAccount();
  const { rulesChanged } = useLive();
  const [base, setBase] = useState<Base | null>(null);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  const [saved, setSaved] = useState<number | null>(Number(useRoute().query.get('saved')) || null);
  const [deleting, setDeleting] = useState(false);
  const review = useReview(base, text, mayChange, rulesChanged, setBase);

  useEffect(() => {
    const stop = new AbortController();
    const load = async (): Promise<Base> => {
      if (id === null) return { id, text: TEMPLATE, revision: await newestRevision(stop.signal) };
      const { body, revision } = await readRule(id, stop.signal);
      return { id, text: toYaml(body), revision: revision ?? 0 };
    };
    load()
      .then((loaded) => {
        setBase(loaded);
        setText(loaded.text);
        setProblem(null);
      })
      .catch((cause: unknown) => {
        if (!stop.signal.aborted && !isAbort(cause)) setProblem(Problem.of(cause));
      });
    return () => stop.abort();
  }, [id, round]);

  const load = () => setRound((n) => n + 1);
  const seen = useRef(rulesChanged);
  useEffect(() => {
    if (seen.current === rulesChanged) return;
    seen.current = rulesChanged;
    // What nobody has begun to edit is shown as it is now; the review sees to the rest.
    if (base?.id != null && text === base.text) load();
  }, [rulesChanged, base, text]);
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
            {saved !== null && review.state === 'unchanged' && (
              <Notice tone="good" title={`Saved: revision ${saved} is in force`} />
            )}
            <Editor
              label={mayChange ? 'YAML or JSON' : 'The rule'}
              value={text}
              onChange={setText}
              flaws={flaws}
              readOnly={!mayChange}
            />
            {!mayChange && <p className="quiet">Changing rules takes an admin token.</p>}
          </section>
          <section className="section stack" aria-label="What would change">
            <ReviewView
              base={base}
              review={review}
              text={text}
              onTake={(next, newText) => {
                setBase(next);
                setText(newText);
              }}
            />
            {mayChange && (
              <SaveBar
                base={base}
                review={review}
                onSaved={(next, revision) => {
                  setBase(next);
                  setText(next.text);
                  setSaved(revision);
                  load(); // as the service keeps it
                }}
                onUndo={() => setText(base.text)}
                onStale={() => setBase({ ...base })}
              />
            )}
          </section>
        </div>
      )}
      {deleting && base?.id && <DeleteRule id={base.id} onClose={() => setDeleting(false)} />}
    </>
  );
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
    </span>
  );
}
