import { describe, expect, it, vi } from 'vitest';
import { explain, listRules, putRule } from '../src/api/calls';
import { address, ask } from '../src/api/client';
import { Problem } from '../src/api/problem';
import { onRefused, session } from '../src/api/session';
import { json, network, problem } from './setup';

describe('the client', () => {
  it('sends the token as a header and never in the URL', async () => {
    session.signIn('s3cret');
    const sent = network(() => json(200, { rules: [], total: 0, revision: 1 }));
    await listRules({ search: 'a b' });
    expect(sent[0]?.headers.get('Authorization')).toBe('Bearer s3cret');
    expect(sent[0]?.query.toString()).toBe('limit=100&search=a+b');
  });

  it('omits absent parameters', () => {
    expect(address('/v1/rules', { search: '', after: undefined, limit: 5, none: null })).toBe('/v1/rules?limit=5');
  });

  it('sends a rule with its base revision, author and reason', async () => {
    const sent = network(() => json(200, {}, { ETag: '"8"' }));
    const answer = await putRule('team/jobs', 'id: team/jobs', { ifMatch: 7, dryRun: true, message: 'für alle', author: 'Ada L.' });
    expect(sent[0]).toMatchObject({ method: 'PUT', path: '/v1/rules/team%2Fjobs', body: 'id: team/jobs' });
    expect(sent[0]?.query.get('dry-run')).toBe('true');
    expect(sent[0]?.headers.get('If-Match')).toBe('"7"');
    expect(sent[0]?.headers.get('Content-Type')).toBe('application/yaml');
    expect(decodeURIComponent(sent[0]?.headers.get('X-Headgate-Message') ?? '')).toBe('für alle');
    expect(answer.revision).toBe(8);
  });

  it('reports the errors of the service by line', async () => {
    network(() => problem(400, 'not valid', { field: 'x', problems: [{ line: 3, column: 9, field: 'limit.rate', message: 'is missing' }] }));
    const caught = await ask('/v1/rules').catch((cause: unknown) => cause as Problem);
    expect(caught).toBeInstanceOf(Problem);
    expect(caught).toMatchObject({ status: 400, detail: 'not valid', field: 'x', flaws: [{ line: 3, message: 'is missing' }] });
  });

  it('accepts an error response without a problem document', async () => {
    network(() => new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad Gateway' }));
    await expect(ask('/v1/stats')).rejects.toMatchObject({ status: 502, detail: 'The service answered 502 Bad Gateway.' });
  });

  it('reports a missing response', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(explain({ key: 'k' })).rejects.toMatchObject({ status: 0 });
  });

  it('reports a rejected token', async () => {
    const refused = vi.fn();
    onRefused(refused);
    network(() => problem(401, 'that token is not known'));
    await expect(ask('/v1/stats')).rejects.toMatchObject({ status: 401 });
    expect(refused).toHaveBeenCalledOnce();
    onRefused(() => {});
  });
});
