import { useId, useMemo, useRef, useState, type ChangeEvent, type KeyboardEvent, type RefObject } from 'react';
import type { Flaw } from '../api/types';
import { completionAt, type Completion, type Option } from '../yaml/complete';
import { tokensOf } from '../yaml/tokens';

interface Props {
  label: string;
  value: string;
  onChange: (text: string) => void;
  flaws?: Flaw[];
  readOnly?: boolean;
  rows?: number;
}

/** Longer texts are shown in one colour, so that typing stays fluent. */
const MAX_HIGHLIGHTED = 50_000;
const MAX_ROWS = 32;

interface Open extends Completion {
  chosen: number;
}

/** A text editor for YAML, with line numbers, highlighting, completion, and markers at lines with errors. */
export function Editor({ label, value, onChange, flaws = [], readOnly = false, rows = 14 }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const colours = useRef<HTMLPreElement>(null);
  const name = useId();
  const [open, setOpen] = useState<Open | null>(null);
  const lines = value.split('\n');
  const bad = new Set(flaws.map((flaw) => flaw.line).filter((line) => line !== undefined));
  const leaving = useRef(false);
  const highlighted = value.length <= MAX_HIGHLIGHTED;

  const jump = (flaw: Flaw) => {
    const element = area.current;
    if (!element || !flaw.line) return;
    const before = lines.slice(0, flaw.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    const place = before + Math.min((flaw.column ?? 1) - 1, (lines[flaw.line - 1] ?? '').length);
    element.focus();
    element.setSelectionRange(place, place);
  };

  const complete = (element: HTMLTextAreaElement) => {
    const found = completionAt(element.value, element.selectionEnd);
    setOpen(found && { ...found, chosen: 0 });
  };

  const change = (event: ChangeEvent<HTMLTextAreaElement>) => {
    onChange(event.target.value);
    const { inputType, data } = event.nativeEvent as InputEvent;
    const typed = inputType === 'insertText' && data !== null && /^[\w-]$/.test(data);
    const shortened = open !== null && inputType === 'deleteContentBackward';
    if (typed || shortened) complete(event.target);
    else setOpen(null);
  };

  const accept = ({ from, to, suffix }: Open, option: Option) => {
    const element = area.current;
    setOpen(null);
    if (!element) return;
    element.focus();
    element.setSelectionRange(from, to);
    insert(option.text + suffix);
  };

  /** Handles a key while the list of completions is open. Returns whether the key was used. */
  const choose = (key: string, list: Open): boolean => {
    const step = (by: number) => setOpen({ ...list, chosen: (list.chosen + by + list.options.length) % list.options.length });
    if (key === 'ArrowDown') step(1);
    else if (key === 'ArrowUp') step(-1);
    else if (key === 'Enter' || key === 'Tab') accept(list, list.options[list.chosen]!);
    else if (key === 'Escape') setOpen(null);
    else return false;
    return true;
  };

  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (open && !event.shiftKey && !event.ctrlKey && !event.metaKey && choose(event.key, open)) {
      event.preventDefault();
      return;
    }
    if (event.key === ' ' && event.ctrlKey && !readOnly) {
      event.preventDefault();
      complete(event.currentTarget);
      return;
    }
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
        {!readOnly && <span className="quiet">Ctrl+Space completes; Tab indents; Escape, then Tab, leaves</span>}
      </div>
      <div className={bad.size > 0 || flaws.length > 0 ? 'editor-body flawed' : 'editor-body'}>
        <div className="gutter" ref={gutter} aria-hidden="true">
          {lines.map((_, i) => (
            <div key={i} className={bad.has(i + 1) ? 'bad' : undefined}>
              {i + 1}
            </div>
          ))}
        </div>
        <div className={highlighted ? 'editor-text highlighted' : 'editor-text'}>
          {highlighted && <Colours text={value} element={colours} />}
          <textarea
            id={name}
            ref={area}
            value={value}
            rows={Math.max(rows, Math.min(lines.length + 1, MAX_ROWS))}
            wrap="off"
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
            readOnly={readOnly}
            aria-invalid={flaws.length > 0}
            aria-describedby={flaws.length > 0 ? `${name}-flaws` : undefined}
            aria-autocomplete="list"
            aria-controls={open ? `${name}-options` : undefined}
            aria-activedescendant={open ? `${name}-option-${open.chosen}` : undefined}
            onChange={change}
            onKeyDown={keys}
            onBlur={() => setOpen(null)}
            onMouseDown={() => setOpen(null)}
            onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => {
              setOpen(null);
              if (gutter.current) gutter.current.scrollTop = scrollTop;
              if (colours.current) colours.current.scrollTop = scrollTop;
              if (colours.current) colours.current.scrollLeft = scrollLeft;
            }}
          />
          {open && <Options list={open} name={name} area={area.current} onAccept={(option) => accept(open, option)} />}
        </div>
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

/** The text in colours, behind the transparent text of the editor. */
function Colours({ text, element }: { text: string; element: RefObject<HTMLPreElement | null> }) {
  const lines = useMemo(() => tokensOf(text), [text]);
  return (
    <pre className="colours" ref={element} aria-hidden="true">
      {lines.map((tokens, i) => (
        <span key={i}>
          {tokens.map(({ kind, text: part }, j) => (kind === 'space' || kind === 'plain' ? part : <span key={j} className={kind}>{part}</span>))}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

interface OptionsProps {
  list: Open;
  name: string;
  area: HTMLTextAreaElement | null;
  onAccept: (option: Option) => void;
}

/** The list of completions, below the line of the caret. */
function Options({ list, name, area, onAccept }: OptionsProps) {
  const before = (area?.value ?? '').slice(0, list.from);
  const line = before.split('\n').length;
  const column = before.length - (before.lastIndexOf('\n') + 1);
  const place = {
    top: `calc(${line} * 1.5em + 10px - ${area?.scrollTop ?? 0}px)`,
    left: `min(calc(${column}ch + 6px - ${area?.scrollLeft ?? 0}px), calc(100% - 240px))`,
  };
  return (
    <ul className="options" id={`${name}-options`} role="listbox" aria-label="Completions" style={place}>
      {list.options.map((option, i) => (
        <li
          key={option.text}
          id={`${name}-option-${i}`}
          role="option"
          aria-selected={i === list.chosen}
          ref={(element) => {
            if (i === list.chosen) element?.scrollIntoView?.({ block: 'nearest' });
          }}
          onMouseDown={(event) => {
            event.preventDefault(); // the editor keeps the focus
            onAccept(option);
          }}
        >
          {option.text} {option.about && <span className="quiet">{option.about}</span>}
        </li>
      ))}
    </ul>
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
