import { useState } from 'react';
import { Notice } from '../../ui/Notice';
import { MAX_BYTES, type Traffic } from './fitting';

export interface Source {
  kind: 'recent' | 'log';
  text: string;
  file: string | null;
  format: string;
  key: string;
}

export const requestOf = (source: Source): Traffic =>
  source.kind === 'recent'
    ? { kind: 'recent' }
    : { kind: 'log', text: source.text, format: source.format, ...(source.key.trim() ? { key: source.key.trim() } : {}) };

export function SourceFields({ source, onChange }: { source: Source; onChange: (source: Source) => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const take = async (file: File | undefined) => {
    setProblem(null);
    if (!file) return;
    // Only the end of a large file, from the first complete line on.
    const part = file.size > MAX_BYTES ? file.slice(file.size - MAX_BYTES) : file;
    try {
      const text = await part.text();
      if (part !== file) setProblem(`The file is large: only its end is replayed, less than ${MAX_BYTES / 1024 / 1024} MB.`);
      onChange({ ...source, text: part === file ? text : text.slice(text.indexOf('\n') + 1), file: file.name });
    } catch {
      setProblem('The file can’t be read.');
    }
  };
  return (
    <div className="stack">
      <fieldset className="segments">
        <legend>Traffic</legend>
        <label>
          <input type="radio" name="source" checked={source.kind === 'recent'} onChange={() => onChange({ ...source, kind: 'recent' })} />
          Recent traffic of this instance
        </label>
        <label>
          <input type="radio" name="source" checked={source.kind === 'log'} onChange={() => onChange({ ...source, kind: 'log' })} />
          An access log
        </label>
      </fieldset>
      {source.kind === 'log' && (
        <div className="row">
          <div className="field">
            <label htmlFor="log">Log</label>
            <input id="log" type="file" onChange={(event) => void take(event.target.files?.[0])} />
          </div>
          <div className="field">
            <label htmlFor="format">Format</label>
            <select id="format" value={source.format} onChange={(event) => onChange({ ...source, format: event.target.value })}>
              <option value="auto">detect</option>
              <option value="common">common</option>
              <option value="combined">combined</option>
              <option value="json">JSON lines</option>
            </select>
          </div>
          <div className="field">
            <label htmlFor="key">Key</label>
            <input id="key" list="keys" placeholder="the user, otherwise the IP address" value={source.key} onChange={(event) => onChange({ ...source, key: event.target.value })} />
            <datalist id="keys">
              <option>ip</option>
              <option>user</option>
              <option>{'user:{user}'}</option>
            </datalist>
          </div>
        </div>
      )}
      {problem && <Notice tone="warning" title={problem} />}
    </div>
  );
}
