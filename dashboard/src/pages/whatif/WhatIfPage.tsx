import { useEffect, useState } from 'react';
import { listRules, readRule, whatIf } from '../../api/calls';
import { isAbort } from '../../api/client';
import { Problem } from '../../api/problem';
import type { WhatIf } from '../../api/types';
import { Editor } from '../../ui/Editor';
import { Empty, Loading, Notice, ProblemNotice } from '../../ui/Notice';
import { useAsk, useSettled } from '../../ui/useAsk';
import { toYaml } from '../../yaml/print';
import { fitting } from './fitting';
import { Outcome } from './Outcome';
import { requestOf, SourceFields, type Source } from './source';

interface Run {
  busy: boolean;
  result: WhatIf | null;
  problem: Problem | null;
  /** Whether only part of the log was replayed. */
  cut: boolean;
}

/** Simulates other rules on recorded traffic. */
export function WhatIfPage({ query }: { query: URLSearchParams }) {
  const [rule, setRule] = useState(query.get('rule') ?? '');
  const [text, setText] = useState('');
  const [source, setSource] = useState<Source>({ kind: 'recent', text: '', file: null, format: 'auto', key: '' });
  const [run, setRun] = useState<Run>({ busy: false, result: null, problem: null, cut: false });
  const [loadProblem, setLoadProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  const whole = rule === WHOLE;

  const settledRule = useSettled(rule, 250);
  useEffect(() => {
    setLoadProblem(null);
    if (settledRule === '' || settledRule === WHOLE) return undefined;
    const stop = new AbortController();
    readRule(settledRule, stop.signal).then(
      ({ body }) => setText(toYaml(body)),
      (cause: unknown) => {
        if (!stop.signal.aborted && !isAbort(cause)) setLoadProblem(Problem.of(cause));
      },
    );
    return () => stop.abort();
  }, [settledRule, round]);

  const replay = async () => {
    setRun((old) => ({ ...old, busy: true, problem: null }));
    try {
      const question = fitting({ rules: text, replace: whole ? null : rule, source: requestOf(source) });
      const cut = question.source.text !== undefined && question.source.text !== source.text;
      setRun({ busy: false, result: await whatIf(question), problem: null, cut });
    } catch (cause) {
      setRun({ busy: false, result: null, problem: Problem.of(cause), cut: false });
    }
  };
  const ready = text.trim() !== '' && (source.kind === 'recent' || source.text !== '');
  return (
    <>
      <div className="page-head">
        <h1>Simulation</h1>
        <p className="quiet">Change a rule and replay traffic against it. The rules in force are not affected.</p>
      </div>
      <div className="sides">
        <section className="section stack" aria-label="Proposed rules">
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault();
              if (ready && !run.busy) void replay();
            }}
          >
            <RulePicker rule={rule} onChoose={setRule} />
            {loadProblem && <ProblemNotice problem={loadProblem} again={() => setRound((n) => n + 1)} />}
            <Editor
              label={whole ? 'The complete rule set' : 'The proposed rule'}
              value={text}
              onChange={setText}
              flaws={run.problem?.flaws ?? []}
              rows={10}
            />
            <SourceFields source={source} onChange={setSource} />
            <div className="row end">
              <button type="submit" className="primary" disabled={!ready || run.busy}>
                {run.busy ? 'Replaying…' : 'Replay'}
              </button>
            </div>
          </form>
        </section>
        <section className="section stack" aria-label="Simulation result" aria-live="polite">
          {run.problem && <ProblemNotice problem={run.problem} />}
          {run.busy && !run.result && <Loading what="the result" />}
          {run.cut && <Notice tone="warning" title="Only the end of the log was replayed">The rest exceeds the maximum size of a request.</Notice>}
          {run.result && <Outcome result={run.result} />}
          {!run.result && !run.busy && !run.problem && (
            <Empty title="No simulation yet">
              Choose a rule, change its limit, and replay. The affected callers are listed here.
            </Empty>
          )}
        </section>
      </div>
    </>
  );
}

export const WHOLE = '*';

function RulePicker({ rule, onChoose }: { rule: string; onChoose: (rule: string) => void }) {
  const [search, setSearch] = useState('');
  const settled = useSettled(search, 200);
  const { data, problem } = useAsk(`pick ${settled}`, (signal) => listRules({ search: settled, limit: 50 }, signal));
  const ids = (data?.rules ?? []).map(({ id }) => id);
  const shown = rule !== '' && rule !== WHOLE && !ids.includes(rule) ? [rule, ...ids] : ids;
  const many = (data?.total ?? 0) > 50 || search !== '';
  return (
    <div className="row">
      <div className="field">
        <label htmlFor="rule">Rule</label>
        <select id="rule" value={rule} onChange={(event) => onChoose(event.target.value)}>
          <option value="" disabled>
            {problem ? 'cannot load the rules' : 'choose a rule'}
          </option>
          {shown.map((id) => (
            <option key={id}>{id}</option>
          ))}
          <option value={WHOLE}>A complete rule set (paste)</option>
        </select>
      </div>
      {many && (
        <div className="field">
          <label htmlFor="find">Find</label>
          <input id="find" type="search" value={search} placeholder="part of an id" onChange={(event) => setSearch(event.target.value)} />
        </div>
      )}
    </div>
  );
}
