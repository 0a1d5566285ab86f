import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeAll, describe, expect, it } from 'vitest';
import { blockOf, blockRule, blocksAmong, crc32 } from '../src/pages/callers/blocks';
import { CallerActions } from '../src/pages/callers/CallerActions';
import { callerText, identityOf } from '../src/pages/callers/name';
import { doubled, limitFor, RaiseDialog } from '../src/pages/callers/RaiseDialog';
import { exactly, withLimitFor } from '../src/pages/rules/overrides';
import { ruleIn } from '../src/yaml/rewrite';
import { json, network, type Sent } from './setup';
import { as, change, withDialogs } from './show';

beforeAll(withDialogs);

const NOW = Date.UTC(2026, 10, 17, 10);
const rules = (list: unknown[]) => (sent: Sent) => {
  if (sent.method === 'PUT' || sent.method === 'DELETE') return json(200, change(), { ETag: '"8"' });
  return sent.path === '/v1/rules' ? json(200, { revision: 7, total: list.length, rules: list }) : undefined;
};

describe('a block', () => {
  it('is a rule that denies exactly one caller', () => {
    const { id, text } = blockRule({ key: 'user:4*2' }, 'abuse', NOW + 3_600_000);
    expect(ruleIn(text)).toEqual({ id, description: 'abuse', match: { key: 'user:4\\*2' }, limit: 'deny', active: { until: '2026-11-17T11:00:00' } });
    expect(id).toMatch(/^block-[0-9a-f]{8}$/);
    expect(ruleIn(blockRule({ key: 'a' }, 'abuse', null).text)).not.toHaveProperty('active');
  });

  it('has the id that the command line gives it', () => {
    expect(crc32(new TextEncoder().encode('123456789')).toString(16)).toBe('cbf43926');
    expect(blockRule({ key: 'user:42' }, '', null).id).toBe(`block-${crc32(new TextEncoder().encode('key\0user:42\0')).toString(16).padStart(8, '0')}`);
  });

  it('is found by its match, and is over at its end', () => {
    const blocks = blocksAmong([
      { id: 'block-1', limit: 'deny', match: { key: 'a' }, active: { until: '2026-11-17T09:00' } },
      { id: 'block-2', limit: 'deny', match: { key: 'a' }, description: 'again', active: { until: '2026-11-18' } },
      { id: 'block-3', limit: { algorithm: 'token-bucket', rate: '1/1s' }, match: { key: 'a' } },
      { id: 'other', limit: 'deny', match: { key: 'a' } },
    ]);
    expect(blocks.map(({ id }) => id)).toEqual(['block-1', 'block-2']);
    expect(blockOf(blocks, { key: 'a' }, NOW)).toMatchObject({ id: 'block-2', reason: 'again', until: Date.UTC(2026, 10, 18) });
    expect(blockOf(blocks, { key: 'a' }, NOW + 86_400_000)?.id).toBe('block-1');
    expect(blockOf(blocks, { key: 'b' }, NOW)).toBeUndefined();
  });

  it('needs a reason, and is saved with it', async () => {
    const sent = network(rules([]));
    as('admin', <CallerActions caller={{ key: 'user:42' }} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Block…' }));
    const dialog = screen.getByRole('dialog');
    const button = within(dialog).getByRole('button', { name: 'Block' }) as HTMLButtonElement;
    expect(button.disabled).toBe(true);
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: 'scrapes' } });
    fireEvent.change(within(dialog).getByLabelText('For how long'), { target: { value: '0' } });
    fireEvent.click(button);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const put = sent.find(({ method }) => method === 'PUT');
    expect(put?.headers.get('X-Headgate-Message')).toBe('scrapes');
    expect(ruleIn(put!.body)).toMatchObject({ description: 'scrapes', match: { key: 'user:42' }, limit: 'deny' });
  });

  it('warns of rules that exempt the caller', async () => {
    const exempt = [
      { id: 'internal', exempt: true, match: { key: 'user:*' } },
      { id: 'others', exempt: true, match: { key: 'admin:*' } },
      { id: 'tried', exempt: true, mode: 'shadow', match: { key: 'user:*' } },
    ];
    const explained = ['internal', 'tried', 'per-user'].map((id) => ({ id }));
    network((sent) => (sent.path === '/v1/explain' ? json(200, { rules: explained }) : rules(exempt)(sent)));
    as('admin', <CallerActions caller={{ key: 'user:42' }} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Block…' }));
    await screen.findByText('The block has no effect while the caller is exempt');
    const links = within(screen.getByRole('dialog')).getAllByRole('link');
    expect(links.map(({ textContent }) => textContent)).toEqual(['internal']);
  });

  it('does not ask for an explanation if no rule exempts', async () => {
    const sent = network(rules([{ id: 'per-user', limit: 'deny', match: {} }]));
    as('admin', <CallerActions caller={{ key: 'user:42' }} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Block…' }));
    await waitFor(() => expect(sent.filter(({ path }) => path === '/v1/rules').length).toBe(2));
    expect(sent.some(({ path }) => path === '/v1/explain')).toBe(false);
    expect(screen.queryByText('The block has no effect while the caller is exempt')).toBeNull();
  });

  it('is shown, and removed after a preview', async () => {
    const sent = network(rules([{ id: 'block-1', limit: 'deny', description: 'abuse', match: { key: 'user:42' } }]));
    as('admin', <CallerActions caller={{ key: 'user:42' }} />);
    await screen.findByText('Blocked');
    expect(screen.queryByRole('button', { name: 'Block…' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Unblock…' }));
    const button = await screen.findByRole('button', { name: 'Unblock' });
    await waitFor(() => expect((button as HTMLButtonElement).disabled).toBe(false));
    fireEvent.click(button);
    await waitFor(() => expect(sent.filter(({ method }) => method === 'DELETE').map(({ query }) => query.has('dry-run'))).toEqual([true, false]));
  });

  it('can only be seen with a read token', async () => {
    network(rules([{ id: 'block-1', limit: 'deny', match: { key: 'user:42' } }]));
    as('read', <CallerActions caller={{ key: 'user:42' }} />);
    await screen.findByText('Blocked');
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('a raised limit', () => {
  const limit = { algorithm: 'token-bucket', rate: '10k/1m', burst: 200 };

  it('is an override before the others, or replaces that of the caller', () => {
    const rule = { id: 'a', limit, overrides: [{ match: { key: 'b' }, limit: 'deny' }] };
    const raised = withLimitFor(rule, { key: 'x*' }, doubled(limit));
    expect(raised['overrides']).toEqual([{ match: { key: 'x\\*' }, limit: { algorithm: 'token-bucket', rate: '20000/1m', burst: 400 } }, { match: { key: 'b' }, limit: 'deny' }]);
    expect(withLimitFor(raised, { key: 'x*' }, limit)['overrides']).toHaveLength(2);
    expect(limitFor(raised, { key: 'x*' })).toMatchObject({ burst: 400 });
    expect(limitFor(raised, { key: 'b' })).toBeNull();
    expect(doubled({ algorithm: 'concurrency', max: 3 })).toEqual({ algorithm: 'concurrency', max: 6 });
    expect(exactly('a\\*')).toBe('a\\\\\\*');
  });

  it('is reviewed before it is saved', async () => {
    const sent = network((given) => {
      if (given.method === 'PUT') return json(200, change(), { ETag: '"8"' });
      return given.path === '/v1/rules/per-user' ? json(200, { id: 'per-user', match: { key: 'user:*' }, limit }, { ETag: '"8"' }) : undefined;
    });
    let done = false;
    as('admin', <RaiseDialog rule="per-user" caller={{ key: 'user:42' }} onClose={() => {}} onDone={() => (done = true)} />);
    await screen.findByText('10,000 per minute, up to 200 at once');
    expect(screen.getByText('20,000 per minute, up to 400 at once')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('Requests of this caller'), { target: { value: '500' } });
    fireEvent.click(screen.getByRole('button', { name: 'Review…' }));
    await screen.findByText('600/1m');
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(done).toBe(true));
    const puts = sent.filter(({ method }) => method === 'PUT');
    expect(puts.map(({ query, headers }) => [query.has('dry-run'), headers.get('If-Match')])).toEqual([[true, null], [false, '"8"']]);
    expect(ruleIn(puts[1]!.body)!['overrides']).toEqual([{ match: { key: 'user:42' }, limit: { algorithm: 'token-bucket', rate: '500/1m', burst: 400 } }]);
  });
});

describe('the identity of a caller', () => {
  it('is its name, in the form of a rule', () => {
    expect(identityOf('ip=2001:db8:0:1::/64')).toEqual({ ip: '2001:db8:0:1::/64' });
    for (const name of ['user:42', 'user=42', 'ip=10.0.0.1']) expect(callerText(identityOf(name)!)).toBe(name);
    expect(identityOf('(unnamed)')).toBeNull();
  });
});
