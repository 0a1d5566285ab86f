import { useState } from 'react';
import type { Subject } from '../../api/types';
import { href, replaceHash } from '../../app/route';
import { Empty, Notice } from '../../ui/Notice';
import { ExplainView } from './ExplainView';

/** Reads `user:42` or `user=42 path=/login`; null where a part is neither. */
export function parseSubject(text: string): Subject | null {
  const subject: Subject = {};
  for (const part of text.trim().split(/\s+/)) {
    const [, name, value] = /^([A-Za-z_][\w.-]*)=(.*)$/.exec(part) ?? [];
    if (name !== undefined && value !== undefined) subject[name] = value;
    else if (subject['key'] === undefined && part !== '') subject['key'] = part;
    else return null;
  }
  return Object.keys(subject).length === 0 ? null : subject;
}

export function ExplainPage({ query }: { query: URLSearchParams }) {
  const [text, setText] = useState(query.get('subject') ?? '');
  const [asked, setAsked] = useState(query.get('subject') ?? '');
  const subject = asked.trim() === '' ? null : parseSubject(asked);
  return (
    <>
      <div className="page-head">
        <a href={href(['callers'])}>Callers</a>
        <h1>Why was I limited?</h1>
      </div>
      <section className="section stack">
        <form
          className="row ask"
          onSubmit={(event) => {
            event.preventDefault();
            setAsked(text);
            replaceHash(href(['explain'], { subject: text.trim() }));
          }}
        >
          <label htmlFor="subject">Who asks</label>
          <input
            id="subject"
            className="mono"
            autoFocus
            placeholder="user:42 or user=42 path=/login ip=10.0.0.1"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <button type="submit" className="primary" disabled={text.trim() === ''}>
            Explain
          </button>
        </form>
        {asked.trim() === '' && <Empty title="Nobody is asked about yet">A key, or attributes as name=value with blanks between them. Nothing is charged.</Empty>}
        {asked.trim() !== '' && subject === null && (
          <Notice tone="bad" title="That can't be read">
            One bare key at most; everything else as name=value, such as path=/login.
          </Notice>
        )}
        {subject && <ExplainView key={asked} subject={subject} />}
      </section>
    </>
  );
}
