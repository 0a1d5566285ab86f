import { useEffect, useRef, useState } from 'react';
import { playground } from '../../api/calls';
import type { Trial } from '../../api/types';
import { href, parseHash, replaceHash } from '../../app/route';
import { Empty, Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { useAsk, useSettled } from '../../ui/useAsk';
import { Controls } from './Controls';
import { Results } from './Results';
import { fromQuery, requestOf, timesProblem, toQuery, type Setup } from './setup';

export function PlaygroundPage({ query }: { query: URLSearchParams }) {
  const [setup, setSetup] = useState<Setup>(() => fromQuery(query));
  const settled = useSettled(setup, 120);
  const inputError = settled.kind === 'times' ? timesProblem(settled.times) : null;
  const request = JSON.stringify(requestOf(settled));
  const { data, problem, loading, again } = useAsk<Trial | null>(inputError ? 'nothing' : request, (signal) =>
    inputError ? Promise.resolve(null) : playground(JSON.parse(request), signal),
  );
  const last = useRef<Trial | null>(null);
  if (data) last.current = data;
  const shown = data ?? last.current;
  useEffect(() => {
    const followed = () => {
      const route = parseHash(window.location.hash);
      if (route.parts[0] === 'playground') setSetup(fromQuery(route.query));
    };
    window.addEventListener('hashchange', followed);
    return () => window.removeEventListener('hashchange', followed);
  }, []);
  useEffect(() => replaceHash(href(['playground'], toQuery(settled))), [settled]);

  return (
    <>
      <div className="page-head">
        <h1>Playground</h1>
        <p className="quiet">The same traffic under each algorithm, decided by the production code.</p>
        <span className="spring" />
        <ShareButton />
      </div>
      <div className="playground">
        <section className="section controls" aria-label="Traffic and limit">
          <Controls setup={setup} onChange={(part) => setSetup((old) => ({ ...old, ...part }))} />
        </section>
        <section className="section results" aria-label="Results by algorithm" aria-busy={loading}>
          {inputError && <Notice tone="bad" title="The times can't be read">{inputError}</Notice>}
          {problem && <ProblemNotice problem={problem} again={again} />}
          {!shown && !problem && !inputError && <Loading what="the results" />}
          {shown && shown.requests === 0 && (
            <Empty title="No requests">
              {settled.kind === 'recent' ? 'There is no recent traffic. Choose another kind.' : 'This traffic has no requests. Increase the rate, or choose another kind.'}
            </Empty>
          )}
          {shown && shown.requests > 0 && <Results trial={shown} stale={loading && !data} />}
        </section>
      </div>
    </>
  );
}

function ShareButton() {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  if (!navigator.clipboard) return null; // available in secure contexts only
  return (
    <button
      type="button"
      onClick={() => {
        navigator.clipboard.writeText(window.location.href).then(
          () => setCopied(true),
          () => setCopied(false),
        );
      }}
    >
      <span aria-live="polite">{copied ? 'Copied' : 'Copy link'}</span>
    </button>
  );
}
