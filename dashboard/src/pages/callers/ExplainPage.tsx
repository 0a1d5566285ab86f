import { useState } from 'react';
import type { Subject } from '../../api/types';
import { href, replaceHash } from '../../app/route';
import { Empty, Notice } from '../../ui/Notice';
import { ExplainView } from './ExplainView';

/** Parses `user:42` or `user=42 path=/login`. Returns null if a part is neither. */
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
        <h1>Explain limits</h1>
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
          <label htmlFor="subject">Caller</label>
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
        {asked.trim() === '' && <Empty title="No caller entered yet">Enter a key, or attributes as name=value separated by spaces. Nothing is charged.</Empty>}
        {asked.trim() !== '' && subject === null && (
          <Notice tone="bad" title="That can't be read">
            Enter at most one bare key, and everything else as name=value, such as path=/login.
          </Notice>
        )}
        {subject && <ExplainView key={asked} subject={subject} />}
      </section>
    </>
  );
}
