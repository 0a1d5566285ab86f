import { useId, useRef, type KeyboardEvent } from 'react';
import type { Flaw } from '../api/types';

interface Props {
  label: string;
  value: string;
  onChange: (text: string) => void;
  flaws?: Flaw[];
  readOnly?: boolean;
  rows?: number;
}

/** A text editor with line numbers and markers at lines with errors. */
export function Editor({ label, value, onChange, flaws = [], readOnly = false, rows = 14 }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const name = useId();
  const lines = value.split('\n');
  const bad = new Set(flaws.map((flaw) => flaw.line).filter((line) => line !== undefined));
  const leaving = useRef(false);

  const jump = (flaw: Flaw) => {
    const element = area.current;
    if (!element || !flaw.line) return;
    const before = lines.slice(0, flaw.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    const place = before + Math.min((flaw.column ?? 1) - 1, (lines[flaw.line - 1] ?? '').length);
    element.focus();
    element.setSelectionRange(place, place);
  };

  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') {
      leaving.current = true; // the next Tab leaves the editor
      return;
    }
    const leave = leaving.current;
    leaving.current = event.key === 'Shift' && leave;
    if (readOnly || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Tab' && !leave) {
      event.preventDefault();
      if (event.shiftKey) outdent(event.currentTarget);
      else insert('  ');
    } else if (event.key === 'Enter') {
      const start = event.currentTarget.selectionStart;
      const line = value.slice(value.lastIndexOf('\n', start - 1) + 1, start);
      const indent = /^ */.exec(line)?.[0] ?? '';
      event.preventDefault();
      insert(`\n${indent}${/:\s*$/.test(line) ? '  ' : ''}`);
    }
  };

  return (
    <div className="editor">
      <div className="row editor-head">
        <label htmlFor={name}>{label}</label>
        {!readOnly && <span className="quiet">Tab indents; Escape, then Tab, leaves</span>}
      </div>
      <div className={bad.size > 0 || flaws.length > 0 ? 'editor-body flawed' : 'editor-body'}>
        <div className="gutter" ref={gutter} aria-hidden="true">
          {lines.map((_, i) => (
            <div key={i} className={bad.has(i + 1) ? 'bad' : undefined}>
              {i + 1}
            </div>
          ))}
        </div>
        <textarea
          id={name}
          ref={area}
          value={value}
          rows={Math.max(rows, Math.min(lines.length + 1, 32))}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          readOnly={readOnly}
          aria-invalid={flaws.length > 0}
          aria-describedby={flaws.length > 0 ? `${name}-flaws` : undefined}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={keys}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      {flaws.length > 0 && (
        <ol className="flaws" id={`${name}-flaws`} aria-label="Errors">
          {flaws.map((flaw, i) => (
            <li key={i}>
              {flaw.line ? (
                <button type="button" className="link" onClick={() => jump(flaw)}>
                  Line {flaw.line}
                  {flaw.column ? `:${flaw.column}` : ''}
                </button>
              ) : null}{' '}
              {flaw.field && <code>{flaw.field}</code>}
              {flaw.field ? ': ' : ''}
              {flaw.message}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** Inserts text through the browser, so that it can be undone. */
function insert(text: string) {
  document.execCommand('insertText', false, text);
}

function outdent(area: HTMLTextAreaElement) {
  const start = area.value.lastIndexOf('\n', area.selectionStart - 1) + 1;
  const spaces = /^ {1,2}/.exec(area.value.slice(start))?.[0].length ?? 0;
  if (spaces === 0) return;
  const caret = area.selectionStart;
  area.setSelectionRange(start, start + spaces);
  document.execCommand('delete');
  const back = Math.max(start, caret - spaces);
  area.setSelectionRange(back, back);
}
