import { fireEvent, render, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { RuleForm } from '../src/pages/rules/form/RuleForm';
import { conditionOf, conditionValue, daysOf, daysValue, defaultPer, effectOf, fairOf, fairValue, hoursOf, momentOf, momentValue, unknownIn, withEffect, withField } from '../src/pages/rules/form/model';
import { countAt, countOf, limitWords, positionOf, rateOf, rateText } from '../src/pages/rules/form/words';
import { Editor } from '../src/ui/Editor';
import { toYaml } from '../src/yaml/print';
import { rewrite, ruleIn } from '../src/yaml/rewrite';
import { RULE } from '../src/yaml/schema';
import { isMap, type Value, type ValueMap } from '../src/yaml/tree';
import { forAll, rule, written } from './random';

describe('the parts of a rule', () => {
  it('round-trip conditions', () => {
    forAll(300, (random) => {
      for (const value of Object.values((rule(random)['match'] as ValueMap | undefined) ?? {})) {
        const condition = conditionOf(value);
        if (condition.kind === 'other') continue;
        expect(conditionOf(conditionValue(condition))).toEqual(condition);
      }
    });
    expect(conditionOf({ except: ['/health'], or: 'absent' })).toEqual({ kind: 'except', patterns: ['/health'], within: [], orAbsent: true });
    expect(conditionValue({ kind: 'except', patterns: ['a', 'b'], within: ['c*'], orAbsent: false })).toEqual({ is: 'c*', except: ['a', 'b'] });
    expect(conditionOf({ like: 'x' }).kind).toBe('other');
    expect(conditionValue(conditionOf({ absent: true }))).toEqual({ absent: true });
  });

  it('round-trip rates, counts and schedules', () => {
    expect(rateOf('10k/5m')).toEqual({ count: '10k', amount: 5, unit: 'm' });
    expect(rateOf('100/min')).toEqual({ count: '100', amount: 1, unit: 'm' });
    expect(rateOf('1,000 per day')).toEqual({ count: '1,000', amount: 1, unit: 'd' });
    expect(rateOf('/1m')).toEqual({ count: '', amount: 1, unit: 'm' });
    expect(rateOf('100')).toBeNull();
    expect(rateText(rateOf('5/2h')!)).toBe('5/2h');
    expect(['200', '1_000', '10k', '2MiB', 'x'].map((text) => countOf(text))).toEqual([200, 1000, 10_000, 2 * 2 ** 20, null]);
    for (const text of ['mon-fri', 'sat,sun', 'mon-wed,fri', 'tue']) expect(daysValue(daysOf(text)!)).toBe(text);
    expect(daysOf('fri-mon')).toEqual(['mon', 'fri', 'sat', 'sun']);
    expect(daysOf('monday')).toEqual(['mon']);
    expect(daysOf('someday')).toBeNull();
    expect(daysValue(daysOf(undefined)!)).toBeUndefined();
    expect(hoursOf('9:00-17:00')).toEqual(['09:00', '17:00']);
    expect(momentOf('2026-01-01')).toBe('2026-01-01T00:00');
    expect(momentValue('2026-01-01T00:00')).toBe('2026-01-01');
  });

  it('are described in words', () => {
    expect(limitWords({ algorithm: 'token-bucket', rate: '100/1m', burst: 200 })).toBe('100 per minute, up to 200 at once');
    expect(limitWords({ algorithm: 'token-bucket', rate: '10k/5m' })).toBe('10,000 per 5 minutes, up to 10,000 at once');
    expect(limitWords({ algorithm: 'leaky-bucket', rate: '10/s', 'max-wait': '2s' })).toBe('10 per second, evenly spaced, waiting for up to 2 seconds');
    expect(limitWords({ algorithm: 'fixed-window', rate: '1M/1mo', align: 'calendar', zone: 'Europe/Berlin' })).toBe('1,000,000 in each calendar month in Europe/Berlin');
    expect(limitWords({ algorithm: 'rolling-window', rate: '5/1m', 'min-interval': '1s' })).toBe('5 in any minute, exactly, at least 1 second apart');
    expect(limitWords({ algorithm: 'concurrency', max: 3 })).toBe('3 at the same time, each for up to 30 seconds without a renewal');
    expect(limitWords({ algorithm: 'adaptive-concurrency', min: 5, max: 200 })).toBe('5 to 200 at the same time, as many as the backend can handle');
    expect(limitWords('deny')).toContain('refused');
  });

  it('round-trip how a limit is shared', () => {
    const fair = { among: 'tenant', 'weight-by': 'plan', weights: { enterprise: 5, pro: 2 } };
    expect(fairOf(fair)).toEqual({ among: ['tenant'], weightBy: 'plan', weights: ['enterprise=5', 'pro=2'] });
    expect(fairValue(fairOf(fair)!)).toEqual(fair);
    expect(fairValue({ among: ['a', 'b'], weightBy: '', weights: ['x = many'] })).toEqual({ among: ['a', 'b'], weights: { x: 'many' } });
    expect(fairValue(fairOf(undefined)!)).toBeUndefined();
    for (const other of ['tenant', { among: 'a', other: 1 }, { among: 'a', weights: { 'x=y': 1 } }] as Value[]) expect(fairOf(other)).toBeNull();
    expect(unknownIn({ limit: { algorithm: 'token-bucket', rate: '1/1s', fair: { among: 'a', other: 1 } } })).toEqual(['limit.fair']);
    expect(unknownIn({ combine: 'weighted', limits: [{ name: 'a', algorithm: 'concurrency', max: 1, weight: 2, priority: 1 }] })).toEqual(['limits[0].priority']);
  });

  it('have sliders whose steps lead back to the same count', () => {
    for (let position = 0; position < 39; position++) expect(positionOf(countAt(position))).toBe(position);
    expect(countAt(positionOf(120))).toBe(100);
  });

  it('name the default counters', () => {
    expect(defaultPer({ key: 'user:*', path: '/login', method: ['GET', 'PUT'], ip: '10.0.0.0/8' })).toEqual(['key', 'method', 'ip']);
  });
});

describe('a change by the form', () => {
  it('leaves every other field as it was written', () => {
    forAll(400, (random) => {
      const value = rule(random);
      const yaml = written(random, value);
      const changes: ((old: ValueMap) => ValueMap)[] = [
        (old) => withField(old, 'mode', 'shadow'),
        (old) => withField(old, 'description', undefined),
        (old) => withField(old, 'match', { ...(isMap(old['match']) ? old['match'] : {}), added: '*' }),
        (old) => withEffect(old, RULE, random.of(['limit', 'limits', 'deny', 'exempt'])),
      ];
      const next = random.of(changes)(value);
      const after = ruleIn(rewrite(yaml, next))!;
      expect(after).toEqual(next);
      expect(after['unknown-field']).toEqual(value['unknown-field']);
    });
  });

  it('changes the effect and back', () => {
    const limit = { algorithm: 'fixed-window', rate: '5/1h' };
    const denied = withEffect({ id: 'a', combine: 'any', limits: [{ name: 'x', ...limit }] }, RULE, 'deny');
    expect(denied).toEqual({ id: 'a', limit: 'deny' });
    expect(effectOf(denied)).toBe('deny');
    expect(withEffect(denied, RULE, 'limit', limit)).toEqual({ id: 'a', limit });
    expect(withEffect({ id: 'a', per: ['x'], limit, overrides: [], mode: 'off' }, RULE, 'exempt')).toEqual({ id: 'a', exempt: true, mode: 'off' });
  });
});

/** Both views of one draft. */
function Both({ first }: { first: string }) {
  const [text, setText] = useState(first);
  return (
    <>
      <RuleForm text={text} onChange={setText} isNew />
      <Editor label="YAML" value={text} onChange={setText} />
    </>
  );
}

const yaml = () => (screen.getByLabelText('YAML') as HTMLTextAreaElement).value;
const write = (text: string) => fireEvent.change(screen.getByLabelText('YAML'), { target: { value: text } });
const set = (label: string | RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const START = toYaml({ id: 'a', match: { key: 'user:*' }, limit: { algorithm: 'token-bucket', rate: '100/1m', burst: 200 } });

describe('the form', () => {
  it('and the text follow each other', () => {
    render(<Both first={START} />);
    expect(screen.getByText('100 per minute, up to 200 at once')).toBeTruthy();
    set('Requests of the rule', '250');
    expect(yaml()).toContain('rate: 250/1m');
    set('Unit of the rule', 'h');
    expect(yaml()).toContain('rate: 250/1h');
    write(yaml().replace('burst: 200', 'burst: 500'));
    expect(screen.getByText('250 per hour, up to 500 at once')).toBeTruthy();
    set('At once, at most of the rule, slider', '13');
    expect(yaml()).toContain('burst: 100');
    set('Id', 'b');
    expect(yaml()).toMatch(/^id: b\n/);
    fireEvent.click(screen.getByLabelText('Shadow: report only'));
    expect(yaml()).toContain('mode: shadow');
  });

  it('edits conditions', () => {
    render(<Both first={START} />);
    set('Values of key of the rule', 'user:*, admin:*, ');
    expect(yaml()).toContain('match: { key: ["user:*", "admin:*"] }');
    expect((screen.getByLabelText('Values of key of the rule') as HTMLInputElement).value).toBe('user:*, admin:*, ');
    set('Condition of key of the rule', 'except-or-absent');
    expect(yaml()).toContain('match: { key: { except: ["user:*", "admin:*"], or: absent } }');
    fireEvent.click(screen.getByText('Add a condition'));
    expect(yaml()).toContain('user: "*"');
    const [, second] = screen.getAllByLabelText('Attribute of the rule');
    fireEvent.change(second!, { target: { value: 'key' } });
    expect(screen.getByText('There is a condition on key already.')).toBeTruthy();
    fireEvent.change(second!, { target: { value: 'team' } });
    expect(yaml()).toContain('team: "*"');
    fireEvent.click(screen.getByLabelText('Remove the condition on team of the rule'));
    expect(yaml()).not.toContain('team');
  });

  it('makes deny, exempt and override rules', () => {
    render(<Both first={START} />);
    fireEvent.click(screen.getByText('Add an override'));
    set('Values of key of override 1', 'user:42');
    const [, override] = screen.getAllByRole('group', { name: /^For / });
    fireEvent.click(within(override!).getByLabelText('Unlimited'));
    expect(ruleIn(yaml())!['overrides']).toEqual([{ match: { key: 'user:42' }, limit: 'unlimited' }]);
    const [whole] = screen.getAllByRole('group', { name: /^For / });
    fireEvent.click(within(whole!).getByLabelText('Deny'));
    expect(ruleIn(yaml())!['limit']).toBe('deny');
    fireEvent.click(within(screen.getAllByRole('group', { name: /^For / })[0]!).getByLabelText('Exempt'));
    expect(ruleIn(yaml())).toEqual({ id: 'a', match: { key: 'user:*' }, exempt: true });
  });

  it('shares a limit fairly', () => {
    render(<Both first={START} />);
    expect(screen.queryByLabelText('Weights of the rule')).toBeNull();
    set('Shared fairly among of the rule', 'tenant');
    set('Weight by of the rule', 'plan');
    set('Weights of the rule', 'pro=2, enterprise=5');
    expect(ruleIn(yaml())!['limit']).toMatchObject({ fair: { among: 'tenant', 'weight-by': 'plan', weights: { pro: 2, enterprise: 5 } } });
    set('Algorithm of the rule', 'rolling-window');
    expect(ruleIn(yaml())!['limit']).not.toHaveProperty('fair');
  });

  it('sets what the combination of several limits reads', () => {
    render(<Both first={START} />);
    fireEvent.click(within(screen.getAllByRole('group', { name: /^For / })[0]!).getByLabelText('Several limits'));
    expect(screen.queryByLabelText('Weight of limit 1 of the rule')).toBeNull();
    set('Passes when', 'weighted');
    set('Weight of limit 1 of the rule', '3');
    expect((ruleIn(yaml())!['limits'] as ValueMap[])[0]).toMatchObject({ name: 'first', weight: 3 });
    set('Passes when', 'hierarchical');
    set('Scope of limit 2 of the rule', 'tenant');
    expect((ruleIn(yaml())!['limits'] as ValueMap[])[1]).toMatchObject({ name: 'second', scope: 'tenant' });
  });

  it('drops the fields that another algorithm does not have', () => {
    render(<Both first={START} />);
    set('Algorithm of the rule', 'rolling-window');
    expect(ruleIn(yaml())!['limit']).toEqual({ algorithm: 'rolling-window', rate: '100/1m' });
    set('Algorithm of the rule', 'concurrency');
    expect(ruleIn(yaml())!['limit']).toEqual({ algorithm: 'concurrency', max: 10 });
    set('Algorithm of the rule', 'adaptive-concurrency');
    set('At least of the rule', '5');
    set('At first of the rule', '8');
    expect(ruleIn(yaml())!['limit']).toEqual({ algorithm: 'adaptive-concurrency', min: 5, max: 10, initial: 8 });
    set('Algorithm of the rule', 'concurrency');
  });

  it('sets schedule, failure policy and consistency', () => {
    render(<Both first={START} />);
    fireEvent.click(screen.getByLabelText('sun'));
    set('From of each day', '22:00');
    set('To of each day', '06:00');
    set('While the store is unavailable', 'allow-then-deny');
    set('Consistency', 'leased');
    expect(ruleIn(yaml())).toMatchObject({ active: { days: 'mon-sat', hours: '22:00-06:00' }, 'on-store-failure': { 'allow-then-deny': '30s' }, consistency: 'leased' });
    set('Consistency', 'strict');
    expect(yaml()).not.toContain('consistency');
  });

  it('sets how permits are reserved', () => {
    render(<Both first={START} />);
    set('Expires after of the reservation', '30s');
    set('Largest part of the reservation', '50%');
    set('Default estimate', '2000');
    set('A larger estimate', 'refuse');
    set('An expired reservation is charged', 'charge-reserved');
    expect(ruleIn(yaml())!['reservation']).toEqual({ ttl: '30s', 'max-share': '50%', default: 2000, excess: 'refuse', 'on-expiry': 'charge-reserved' });
    for (const [label, value] of [['Expires after of the reservation', ''], ['Largest part of the reservation', ''], ['Default estimate', ''], ['A larger estimate', 'clamp'], ['An expired reservation is charged', 'charge-used']] as const) {
      set(label, value);
    }
    expect(yaml()).not.toContain('reservation');
  });

  it('names the fields that it does not know, and keeps them', () => {
    const first = `${START}regions: local # for the batch\n`;
    render(<Both first={first} />);
    expect(screen.getByText('1 field is only in the YAML')).toBeTruthy();
    expect(unknownIn(ruleIn(first)!)).toEqual(['regions']);
    expect(unknownIn({ ...ruleIn(first)!, reservation: { ttl: '5s', other: 1 } })).toEqual(['regions', 'reservation.other']);
    set('Description', 'mine');
    expect(yaml()).toContain('regions: local # for the batch\n');
    expect(yaml()).toContain('description: mine\n');
  });

  it('waits while the text can not be read', () => {
    render(<Both first={START} />);
    write('id: a\nlimit: { rate: [');
    expect(screen.getByText('The form waits for the text')).toBeTruthy();
    const form = screen.getByRole('group', { name: 'Form' }) as HTMLFieldSetElement;
    expect(form.disabled).toBe(true);
    expect(within(form).getByText('100 per minute, up to 200 at once')).toBeTruthy();
    write(START.replace('100/1m', '5/1h'));
    expect(form.disabled).toBe(false);
    expect(within(form).getByText('5 per hour, up to 200 at once')).toBeTruthy();
  });

  it('can not show a text that it never could read', () => {
    render(<Both first={'- a list'} />);
    expect(screen.getByText("The form can't show this text")).toBeTruthy();
    expect(screen.queryByRole('group', { name: 'Form' })).toBeNull();
  });
});

describe('the editor', () => {
  const area = () => screen.getByLabelText('YAML') as HTMLTextAreaElement;
  function Alone({ first }: { first: string }) {
    const [text, setText] = useState(first);
    return <Editor label="YAML" value={text} onChange={setText} />;
  }

  it('offers completions on request, by keyboard', () => {
    const typed: string[] = [];
    document.execCommand = (_command, _ui, value) => typed.push(value ?? '') > 0;
    render(<Alone first={'id: a\nmod'} />);
    area().focus();
    area().setSelectionRange(9, 9);
    fireEvent.keyDown(area(), { key: ' ', ctrlKey: true });
    const [only] = screen.getAllByRole('option');
    expect(only!.textContent).toContain('mode');
    expect(area().getAttribute('aria-activedescendant')).toBe(only!.id);
    fireEvent.keyDown(area(), { key: 'Enter' });
    expect(typed).toEqual(['mode: ']);
    expect([area().selectionStart, area().selectionEnd]).toEqual([6, 9]);
    expect(screen.queryByRole('listbox')).toBeNull();
  });

  it('moves through the completions, and closes them', () => {
    render(<Alone first={'mode: '} />);
    area().setSelectionRange(6, 6);
    fireEvent.keyDown(area(), { key: ' ', ctrlKey: true });
    const chosen = () => screen.getAllByRole('option').find((option) => option.getAttribute('aria-selected') === 'true')?.textContent?.trim();
    expect(chosen()).toBe('enforce');
    fireEvent.keyDown(area(), { key: 'ArrowDown' });
    expect(chosen()).toBe('shadow');
    fireEvent.keyDown(area(), { key: 'ArrowUp' });
    fireEvent.keyDown(area(), { key: 'ArrowUp' });
    expect(chosen()).toBe('off');
    fireEvent.keyDown(area(), { key: 'Escape' });
    expect(screen.queryByRole('listbox')).toBeNull();
  });

  it('colours the text that it holds', () => {
    render(<Alone first={'id: a # why\n'} />);
    const colours = document.querySelector('.colours')!;
    expect(colours.textContent).toBe('id: a # why\n\n');
    expect(colours.querySelector('.comment')?.textContent).toBe('# why');
    expect(colours.getAttribute('aria-hidden')).toBe('true');
  });
});
