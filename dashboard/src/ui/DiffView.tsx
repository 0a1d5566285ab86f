import { useState } from 'react';
import type { Affected, Diff, Edit } from '../api/types';
import { count, plural, subjectText } from './format';
import { Notice, sentence } from './Notice';

const SIGNS = { added: '+', removed: '−', changed: '~' } as const;
const NAMES = { added: 'new rule', removed: 'rule removed', changed: 'changed' } as const;

export function DiffView({ diff }: { diff: Diff }) {
  if (diff.changes.length === 0 && diff.moves.length === 0) return <p className="quiet">No difference.</p>;
  return (
    <div className="diff">
      {diff.changes.map((change) => (
        <div key={change.id} className={`change ${change.change}`}>
          <p>
            <span className="sign" aria-hidden="true">
              {SIGNS[change.change]}
            </span>
            <strong className="break">{change.id}</strong> <span className="quiet">{NAMES[change.change]}</span>
          </p>
          <Edits edits={change.fields} />
        </div>
      ))}
      {diff.moves.map((move) => (
        <p key={move.id} className="change">
          <span className="sign" aria-hidden="true">
            &gt;
          </span>
          <strong>{move.id}</strong> is now {move.after === null ? 'first' : `after ${move.after}`}
        </p>
      ))}
      {diff.more !== undefined && <p className="quiet">And {plural(diff.more, 'more change')}.</p>}
    </div>
  );
}

/** Lists the service's warnings about valid rules. */
export function Warnings({ warnings = [] }: { warnings?: string[] | undefined }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warning" title={plural(warnings.length, 'warning')}>
      <ul>
        {warnings.map((warning) => (
          <li key={warning} className="break">
            {sentence(warning)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

export function Edits({ edits }: { edits: Edit[] }) {
  if (edits.length === 0) return null;
  return (
    <ul className="edits">
      {edits.map((edit) => (
        <li key={edit.field}>
          <code>{edit.field}</code>{' '}
          {edit.before !== null && (
            <del>
              <span className="hidden">before: </span>
              {edit.before}
            </del>
          )}
          {edit.before !== null && edit.after !== null && ' → '}
          {edit.after !== null && (
            <ins>
              <span className="hidden">after: </span>
              {edit.after}
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
}

const FEW = 5;

/** Lists the recent callers that a change would affect. */
export function AffectedView({ callers }: { callers: Affected }) {
  const [all, setAll] = useState(false);
  if (callers.sampled === 0) return <p className="quiet">This instance has no recent callers, so the impact is unknown.</p>;
  const shown = all ? callers.list : callers.list.slice(0, FEW);
  return (
    <div className="affected">
      <p title={callers.note}>
        Of a sample of {plural(callers.sampled, 'recent caller')}{' '}
        <strong>{callers.affected === 0 ? 'none' : count(callers.affected)}</strong> would be affected.
      </p>
      {shown.length > 0 && (
        <ul className="edits">
          {shown.map((one) => (
            <li key={subjectText(one.subject)}>
              <span className="mono break">{subjectText(one.subject)}</span>
              <span className="quiet">
                {' '}
                {one.rules.map((rule) => `${rule.id} ${rule.change === 'changed' ? rule.fields.map((f) => `${f.field} ${f.before ?? 'none'} → ${f.after ?? 'none'}`).join(', ') : rule.change}`).join('; ')}
              </span>
            </li>
          ))}
        </ul>
      )}
      {callers.list.length > FEW && !all && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          Show all {callers.list.length}
        </button>
      )}
    </div>
  );
}
