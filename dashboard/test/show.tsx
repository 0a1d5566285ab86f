import { render, screen, waitFor } from '@testing-library/react';
import { expect } from 'vitest';
import type { ReactNode } from 'react';
import type { Changed, Revision } from '../src/api/types';
import { AccountValue } from '../src/app/account';
import { noHistory } from '../src/live/history';
import { LiveValue, type Live } from '../src/live/live';
import { stats } from './stats';

export const live: Live = { line: 'live', problem: null, stats: stats(), history: noHistory, rulesChanged: 0 };

export const around = (role: 'admin' | 'read', page: ReactNode, now: Live = live) => (
  <AccountValue value={{ role, guarded: true, name: null, mayChange: role === 'admin' }}>
    <LiveValue value={now}>{page}</LiveValue>
  </AccountValue>
);

/** Renders a page with admin or read access. */
export const as = (role: 'admin' | 'read', page: ReactNode, now: Live = live) => render(around(role, page, now));

export const revision = (number: number, part: Partial<Revision> = {}): Revision => ({ number, at: '2026-11-16T10:00:00Z', author: 'ada', message: 'a reason', added: 0, changed: 1, removed: 0, rules: 6, ...part });

export const RULE = { id: 'per-ip', match: { ip: '*' }, limit: { algorithm: 'sliding-window', rate: '300/1m' } };

export const change = (part: Partial<Changed> = {}): Changed => ({
  changed: true,
  revision: revision(7),
  diff: { added: 0, removed: 0, changed: 1, moved: 0, same: 5, changes: [{ id: 'per-ip', change: 'changed', fields: [{ field: 'limit.rate', before: '300/1m', after: '600/1m' }] }], moves: [] },
  ...part,
});

/** Adds the dialog methods that happy-dom lacks. */
export function withDialogs() {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
}

export const editor = () => screen.getByLabelText(/^(?:YAML or JSON|The rule|The proposed rule)$/, { selector: 'textarea' }) as HTMLTextAreaElement;

/** Waits until the text of the editor matches. */
export const editorShows = (pattern: RegExp) => waitFor(() => expect(editor().value).toMatch(pattern));
