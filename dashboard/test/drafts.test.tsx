import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Base } from '../src/pages/rules/draft';
import { reloaded, restored } from '../src/pages/rules/editing';
import { keptDraft } from '../src/pages/rules/kept';
import { EditRulePage } from '../src/pages/rules/EditRulePage';
import { json, network, problem, type Sent } from './setup';
import { around, as, change, editor, editorShows, live, revision, RULE, withDialogs } from './show';

beforeAll(withDialogs);

const MINE = 'id: per-ip\nlimit: { algorithm: sliding-window, rate: 600/1m }';
const edit = (text: string) => fireEvent.change(editor(), { target: { value: text } });

/** A service that has one rule, at a revision, and takes whatever was written for that. */
function service(state: { at: number; rule?: typeof RULE; changedBy?: Record<number, string> }) {
  return network((sent: Sent) => {
    const { at, rule = RULE } = state;
    if (sent.method === 'PUT') {
      if (sent.headers.get('If-Match') !== `"${at}"`) return problem(412, 'stale', { field: 'If-Match' });
      if (sent.query.has('dry-run')) return json(200, change({ dryRun: true, revision: revision(at) }));
      state.at++;
      return json(200, change({ revision: revision(at + 1) }));
    }
    if (sent.path === '/v1/rules/per-ip') return json(200, rule, { ETag: `"${at}"` });
    if (sent.path === '/v1/rules') return json(200, { revision: at, total: 1, rules: [rule] });
    const number = Number(/^\/v1\/revisions\/(\d+)$/.exec(sent.path)?.[1]);
    if (!number) return undefined;
    const id = state.changedBy?.[number] ?? 'another';
    return json(200, { revision: revision(number, { author: `author ${number}` }), diff: { ...change().diff, changes: [{ id, change: 'changed', fields: [] }] } });
  });
}

const saves = (sent: Sent[]) => sent.filter(({ method, query }) => method === 'PUT' && !query.has('dry-run'));

describe('an unsaved draft', () => {
  const base: Base = { id: 'a', text: 'old', revision: 7 };
  const newer: Base = { id: 'a', text: 'new', revision: 8 };

  it('is never replaced by a reload', () => {
    expect(reloaded({ base: null, text: '' }, base)).toEqual({ base, text: 'old' });
    expect(reloaded({ base, text: 'old' }, newer)).toEqual({ base: newer, text: 'new' });
    expect(reloaded({ base, text: 'mine' }, newer)).toEqual({ base, text: 'mine' });
    expect(reloaded({ base, text: 'mine' }, { ...newer, revision: 7 })).toEqual({ base: { ...newer, revision: 7 }, text: 'mine' });
    expect(reloaded({ base: newer, text: 'new' }, base)).toEqual({ base: newer, text: 'new' });
  });

  it('is restored on its own base unless that is still in force', () => {
    const draft = { base, text: 'mine', at: 1 };
    expect(restored(draft, { ...base, revision: 9 })).toEqual({ base: { ...base, revision: 9 }, text: 'mine' });
    expect(restored(draft, newer)).toEqual({ base, text: 'mine' });
  });

  it('survives a reload of the rule', async () => {
    const state = { at: 7, rule: RULE };
    service(state);
    const shown = as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/300/);
    state.at = 8;
    state.rule = { ...RULE, limit: { ...RULE.limit, rate: '450/1m' } };
    shown.rerender(around('admin', <EditRulePage id="per-ip" />, { ...live, rulesChanged: 1 }));
    edit(MINE);
    await screen.findByText('This rule was changed by another user');
    expect(editor().value).toBe(MINE);
  });

  it('is offered when the page is opened again', async () => {
    service({ at: 7 });
    const first = as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/300/);
    edit(MINE);
    first.unmount();
    const second = as('admin', <EditRulePage id="per-ip" />);
    await screen.findByText(/You have unsaved changes/);
    await editorShows(/300/);
    expect(editor().readOnly).toBe(true);
    second.unmount(); // without an answer, it is still there
    as('admin', <EditRulePage id="per-ip" />);
    fireEvent.click(await screen.findByRole('button', { name: 'Restore them' }));
    await screen.findByText('Valid, checked against revision 7.');
    expect(editor().value).toBe(MINE);
    expect(editor().readOnly).toBe(false);
    fireEvent.click(screen.getByRole('button', { name: 'Undo all' }));
    await waitFor(() => expect(keptDraft('per-ip')).toBeNull());
  });

  it('is removed after saving', async () => {
    const state = { at: 7 };
    service(state);
    as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/300/);
    edit(MINE);
    await screen.findByText('Valid, checked against revision 7.');
    expect(keptDraft('per-ip')?.text).toBe(MINE);
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Saved: revision 8 is in force');
    expect(keptDraft('per-ip')).toBeNull();
  });

  it('is discarded on request', async () => {
    service({ at: 7 });
    const first = as('admin', <EditRulePage id={null} />);
    await editorShows(/my-rule/);
    edit('id: mine');
    first.unmount();
    as('admin', <EditRulePage id={null} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Discard them' }));
    expect(editor().value).toContain('my-rule');
    expect(keptDraft(null)).toBeNull();
  });

  it('requires a confirmation before the tab is closed', async () => {
    service({ at: 7 });
    as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/300/);
    const leaves = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    expect(leaves()).toBe(true);
    edit(MINE);
    expect(leaves()).toBe(false);
    fireEvent.click(screen.getByRole('button', { name: 'Undo all' }));
    expect(leaves()).toBe(true);
  });
});

describe('saving', () => {
  const written = async () => {
    await editorShows(/300/);
    edit(MINE);
    await screen.findByText(/Valid, checked against revision/);
  };

  it('retries when only other rules were changed', async () => {
    const state = { at: 7 };
    const sent = service(state);
    as('admin', <EditRulePage id="per-ip" />);
    await written();
    state.at = 8;
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Saved: revision 9 is in force');
    expect(saves(sent).map(({ headers }) => headers.get('If-Match'))).toEqual(['"7"', '"8"']);
  });

  it('makes the editor read-only until it is done', async () => {
    let answer = (_: Response) => {};
    network((sent) => {
      if (sent.method !== 'PUT') return json(200, RULE, { ETag: '"7"' });
      return sent.query.has('dry-run') ? json(200, change()) : new Promise<Response>((resolve) => (answer = resolve));
    });
    as('admin', <EditRulePage id="per-ip" />);
    await written();
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(editor().readOnly).toBe(true));
    await act(async () => answer(json(200, change({ revision: revision(8) }))));
    await waitFor(() => expect(editor().readOnly).toBe(false));
  });

  it('requires another review of a new rule after a concurrent change', async () => {
    const state = { at: 7 };
    service(state);
    as('admin', <EditRulePage id={null} />);
    await editorShows(/my-rule/);
    edit(MINE.replace('per-ip', 'mine'));
    await screen.findByText('Valid, checked against revision 7.');
    state.at = 8;
    fireEvent.click(screen.getByRole('button', { name: 'Create rule' }));
    await screen.findByText('Not saved: the rules were changed in the meantime');
    await screen.findByText('Valid, checked against revision 8.');
  });

  it('is impossible as long as a new rule is the template', async () => {
    const sent = service({ at: 7 });
    as('admin', <EditRulePage id={null} />);
    await editorShows(/mode: shadow/);
    await screen.findByText(/This is a template/);
    const button = screen.getByRole('button', { name: 'Create rule' }) as HTMLButtonElement;
    expect(button.disabled).toBe(true);
    edit(`# mine\n${editor().value}`);
    await screen.findByText(/This is a template/);
    expect(button.disabled).toBe(true);
    fireEvent.change(screen.getByLabelText('Id'), { target: { value: 'mine' } });
    await screen.findByText('Valid, checked against revision 7.');
    expect(button.disabled).toBe(false);
    expect(editor().value).toContain('id: mine\n');
    expect(sent.filter(({ method }) => method === 'PUT').map(({ path }) => path)).toEqual(['/v1/rules/mine']);
  });

  it('is confirmed as long as that revision is in force', async () => {
    const state = { at: 7 };
    service(state);
    window.location.hash = '#/rules/per-ip/edit?saved=7';
    const shown = as('admin', <EditRulePage id="per-ip" />);
    await screen.findByText('Saved: revision 7 is in force');
    expect(window.location.hash).toBe('#/rules/per-ip/edit');
    state.at = 8;
    shown.rerender(around('admin', <EditRulePage id="per-ip" />, { ...live, rulesChanged: 1 }));
    await waitFor(() => expect(screen.queryByText(/Saved: revision/)).toBeNull());
  });
});

describe('a valid rule', () => {
  it('is shown with the warnings of the service', async () => {
    network((sent) => (sent.method === 'PUT' ? json(200, change({ warnings: ["rule 'per-ip' is escaped by leaving out ip"] })) : json(200, RULE, { ETag: '"7"' })));
    as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/300/);
    edit(MINE);
    await screen.findByText("Rule 'per-ip' is escaped by leaving out ip.");
    expect(screen.getByText('1 warning')).toBeTruthy();
    expect((screen.getByRole('button', { name: 'Save' }) as HTMLButtonElement).disabled).toBe(false);
  });
});

describe('a conflict', () => {
  const theirs = { ...RULE, limit: { ...RULE.limit, rate: '450/1m' } };

  it('names the author who changed this rule, not the last one overall', async () => {
    const state: Parameters<typeof service>[0] = { at: 7 };
    service(state);
    as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/300/);
    Object.assign(state, { at: 10, rule: theirs, changedBy: { 8: 'per-ip' } });
    edit(MINE);
    await screen.findByText(/author 8 saved revision 8/);
  });

  it('names no author if unknown', async () => {
    const state: Parameters<typeof service>[0] = { at: 7 };
    service(state);
    as('admin', <EditRulePage id="per-ip" />);
    await editorShows(/300/);
    Object.assign(state, { at: 9, rule: theirs });
    edit(MINE);
    await screen.findByText(/It was changed by revision 9 or earlier .*while you were editing revision 7/);
  });
});
