import { useMemo, useRef, type ReactNode } from 'react';
import { COMBINES, CONSISTENCIES, fieldOf, MODES, RULE, type Field } from '../../../yaml/schema';
import { rewrite, ruleIn } from '../../../yaml/rewrite';
import { isMap, Unreadable, type Value, type ValueMap } from '../../../yaml/tree';
import { Notice } from '../../../ui/Notice';
import { plural } from '../../../ui/format';
import { ListField, Segments, SelectField, TextField } from './inputs';
import { LimitFields } from './LimitFields';
import { MatchFields } from './MatchFields';
import { DEFAULT_LIMIT, defaultPer, effectOf, limitsIn, unknownIn, withEffect, withField, withMember, type Effect } from './model';
import { ReservationFields } from './ReservationFields';
import { ScheduleFields } from './ScheduleFields';
import { countValue } from './words';

interface Props {
  /** The draft, which the form shares with the editor. */
  text: string;
  onChange: (text: string) => void;
  readOnly?: boolean;
  /** Whether the id can be chosen. */
  isNew?: boolean;
}

type Read = { rule: ValueMap } | { problem: string };

function read(text: string): Read {
  try {
    const rule = ruleIn(text);
    return rule ? { rule } : { problem: 'It is not a map of fields.' };
  } catch (cause) {
    if (cause instanceof Unreadable) return { problem: `${cause.message}.` };
    throw cause;
  }
}

/**
 * Shows the rule in a text as a form. A change rewrites only the part of the text that it concerns. While the text can't be
 * read, the form shows what it read last, and can't be used.
 */
export function RuleForm({ text, onChange, readOnly = false, isNew = false }: Props) {
  const found = useMemo(() => read(text), [text]);
  const last = useRef<ValueMap | null>(null);
  if ('rule' in found) last.current = found.rule;
  const rule = last.current;
  return (
    <div className="rule-form">
      {'problem' in found && (
        <Notice tone="info" title={rule ? 'The form waits for the text' : "The form can't show this text"}>
          {found.problem} Continue in the YAML; the form follows as soon as it can read it.
        </Notice>
      )}
      {rule && (
        <fieldset className="bare rule-form" disabled={readOnly || 'problem' in found} aria-label="Form">
          <Unknown rule={rule} />
          <Fields rule={rule} isNew={isNew} onChange={(next) => onChange(rewrite(text, next))} />
        </fieldset>
      )}
    </div>
  );
}

function Unknown({ rule }: { rule: ValueMap }) {
  const unknown = unknownIn(rule);
  if (unknown.length === 0) return null;
  return (
    <Notice tone="info" title={`${plural(unknown.length, 'field is', 'fields are')} only in the YAML`}>
      <span>
        The form keeps <code className="break">{unknown.join(', ')}</code> as written.
      </span>
    </Notice>
  );
}

interface FieldsProps {
  rule: ValueMap;
  isNew: boolean;
  onChange: (rule: ValueMap) => void;
}

function Fields({ rule, isNew, onChange }: FieldsProps) {
  const set = (name: string, value: Value | undefined) => onChange(withField(rule, name, value));
  const text = (name: string) => (value: string) => set(name, value === '' ? undefined : value);
  const effect = effectOf(rule);
  const counts = effect === 'limit' || effect === 'limits';
  return (
    <>
      {isNew && <TextField label="Id" value={rule['id']} mono onChange={(id) => set('id', id)} hint="Unique; shown in decisions, headers and metrics." />}
      <TextField label="Description" value={rule['description']} placeholder="What it protects" onChange={text('description')} />
      <Part title="Requests">
        <MatchFields of="the rule" match={rule['match']} onChange={(match) => set('match', match)} />
        {counts && <PerField rule={rule} onChange={(per) => set('per', per)} />}
      </Part>
      <Part title="Limit">
        <EffectFields owner={rule} fields={RULE} of="the rule" effects={RULE_EFFECTS} onChange={onChange} />
      </Part>
      {effect !== 'exempt' && (
        <Part title="Overrides">
          <Overrides rule={rule} onChange={(overrides) => set('overrides', overrides)} />
        </Part>
      )}
      <Part title="Effect">
        <Segments
          label="Mode"
          value={MODES.find((mode) => mode === (rule['mode'] ?? 'enforce')) ?? 'enforce'}
          options={MODE_NAMES}
          onChange={(mode) => set('mode', mode === 'enforce' ? undefined : mode)}
        />
        <label className="check">
          <input type="checkbox" checked={rule['fallback'] === true} onChange={({ target }) => set('fallback', target.checked ? true : undefined)} />
          Applies only when no other rule does
        </label>
        <div className="row fields">
          {counts && <FailureFields policy={rule['on-store-failure']} onChange={(policy) => set('on-store-failure', policy)} />}
          {counts && (
            <SelectField
              label="Consistency"
              value={String(rule['consistency'] ?? 'strict')}
              options={CONSISTENCIES.map((value) => ({ value: String(value), name: CONSISTENCY_NAMES[value] }))}
              onChange={(mode) => set('consistency', mode === 'strict' ? undefined : mode)}
            />
          )}
          {effect !== 'exempt' && (
            <TextField label="Status of a denial" value={rule['status']} placeholder={effect === 'deny' ? '403' : '429'} mono onChange={(status) => set('status', countValue(status))} />
          )}
        </div>
      </Part>
      {counts && (
        <details open={rule['reservation'] !== undefined}>
          <summary>Reservations{rule['reservation'] === undefined && ': for 60s, up to the whole limit'}</summary>
          <ReservationFields reservation={rule['reservation']} onChange={(reservation) => set('reservation', reservation)} />
        </details>
      )}
      <details open={rule['active'] !== undefined}>
        <summary>Schedule{rule['active'] === undefined && ': always'}</summary>
        <ScheduleFields active={rule['active']} onChange={(active) => set('active', active)} />
      </details>
    </>
  );
}

const MODE_NAMES = [
  { value: 'enforce' as const, name: 'Enforce' },
  { value: 'shadow' as const, name: 'Shadow: report only' },
  { value: 'off' as const, name: 'Off' },
];

const CONSISTENCY_NAMES: Record<(typeof CONSISTENCIES)[number], string> = {
  strict: 'strict: each check asks the store',
  leased: 'leased: permits held in advance',
  eventual: 'eventual: reported every 100 ms',
  auto: 'auto: leased while a caller is hot',
};

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="part">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

function PerField({ rule, onChange }: { rule: ValueMap; onChange: (per: Value | undefined) => void }) {
  const per = rule['per'];
  const values = per === undefined ? [] : Array.isArray(per) ? per.map(String) : [String(per)];
  const usual = defaultPer(rule['match']);
  return (
    <ListField
      label="One counter for each"
      values={values}
      placeholder={usual.join(', ') || 'all requests share one'}
      hint={per === undefined ? `Not given: ${usual.length > 0 ? `one for each ${usual.join(' and ')}` : 'all requests share one counter'}.` : undefined}
      onChange={(names) => onChange(names.length === 0 ? undefined : names)}
    />
  );
}

const RULE_EFFECTS: { value: Effect; name: string }[] = [
  { value: 'limit', name: 'A limit' },
  { value: 'limits', name: 'Several limits' },
  { value: 'deny', name: 'Deny' },
  { value: 'exempt', name: 'Exempt' },
];

const OVERRIDE_EFFECTS: { value: Effect; name: string }[] = [
  { value: 'limit', name: 'A limit' },
  { value: 'deny', name: 'Deny' },
  { value: 'unlimited', name: 'Unlimited' },
];

const EFFECT_WORDS: Partial<Record<Effect, string>> = {
  deny: 'Every matching request is refused.',
  exempt: 'Matching requests are excused from all other rules.',
  unlimited: 'Matching requests have no limit under this rule.',
};

interface EffectProps {
  owner: ValueMap;
  fields: readonly Field[];
  of: string;
  effects: { value: Effect; name: string }[];
  inherited?: Value;
  onChange: (owner: ValueMap) => void;
}

/** What happens to the matching requests: one limit, several, or none. */
function EffectFields({ owner, fields, of, effects, inherited, onChange }: EffectProps) {
  const effect = effectOf(owner);
  // Kept while another effect is tried.
  const last = useRef<ValueMap>(DEFAULT_LIMIT);
  const [first] = limitsIn(owner);
  if (first) last.current = first;
  const limits = Array.isArray(owner['limits']) ? owner['limits'] : [];
  const shown = effects.some(({ value }) => value === effect) ? effects : [...effects, { value: effect, name: effect === 'limits' ? 'Several limits' : 'As in the YAML' }];
  const setLimits = (next: Value[]) => onChange(withMember(owner, fields, 'limits', next));
  return (
    <>
      <Segments label={`For ${of}`} value={effect} options={shown} onChange={(next) => onChange(withEffect(owner, fields, next, last.current))} />
      {EFFECT_WORDS[effect] && <p className="words">{EFFECT_WORDS[effect]}</p>}
      {effect === 'limit' && isMap(owner['limit']) && (
        <LimitFields limit={owner['limit']} of={of} {...(inherited === undefined ? {} : { inherited })} onChange={(limit) => onChange(withMember(owner, fields, 'limit', limit))} />
      )}
      {effect === 'limits' && (
        <>
          {fieldOf(fields, 'combine') && (
            <SelectField
              label="Passes when"
              value={String(owner['combine'] ?? 'all')}
              options={COMBINES.map((value) => ({ value: String(value), name: COMBINE_NAMES[value] }))}
              onChange={(combine) => onChange(withMember(owner, fields, 'combine', combine === 'all' ? undefined : combine))}
            />
          )}
          {limits.map((limit, i) => (
            <div key={i} className="item">
              {isMap(limit) && (
                <LimitFields limit={limit} of={`limit ${i + 1} of ${of}`} {...(owner['combine'] === undefined ? {} : { combine: owner['combine'] })} onChange={(next) => setLimits(limits.with(i, next))} />
              )}
              {limits.length > 1 && (
                <button type="button" className="plain" onClick={() => setLimits(limits.toSpliced(i, 1))}>
                  Remove limit {i + 1}
                </button>
              )}
            </div>
          ))}
          <button type="button" className="link" onClick={() => setLimits([...limits, { name: `limit-${limits.length + 1}`, ...DEFAULT_LIMIT }])}>
            Add a limit
          </button>
        </>
      )}
    </>
  );
}

const COMBINE_NAMES: Record<(typeof COMBINES)[number], string> = {
  all: 'all limits pass',
  any: 'one limit passes',
  weighted: 'enough of the weight passes',
  hierarchical: 'all pass, from narrow to wide',
  priority: 'all pass, the most important reports',
};

const OVERRIDE = fieldOf(RULE, 'overrides')!.fields!;

function Overrides({ rule, onChange }: { rule: ValueMap; onChange: (overrides: Value | undefined) => void }) {
  const overrides = rule['overrides'];
  if (overrides !== undefined && !Array.isArray(overrides)) return null;
  const list = overrides ?? [];
  const set = (next: Value[]) => onChange(next.length === 0 ? undefined : next);
  const match = Object.fromEntries(defaultPer(rule['match']).slice(0, 1).map((name) => [name, '']));
  return (
    <>
      {list.length > 1 && <p className="quiet">The first that matches applies.</p>}
      {list.map((override, i) => {
        if (!isMap(override)) return null;
        const of = `override ${i + 1}`;
        return (
          <div key={i} className="item">
            <h4>Override {i + 1}</h4>
            <MatchFields of={of} match={override['match']} onChange={(next) => set(list.with(i, withMember(override, OVERRIDE, 'match', next)))} />
            <EffectFields owner={override} fields={OVERRIDE} of={of} effects={OVERRIDE_EFFECTS} inherited={rule['limit']} onChange={(next) => set(list.with(i, next))} />
            <div className="row">
              {i > 0 && (
                <button type="button" className="plain" onClick={() => set(list.with(i - 1, override).with(i, list[i - 1]!))}>
                  Move {of} up
                </button>
              )}
              <button type="button" className="plain" onClick={() => set(list.toSpliced(i, 1))}>
                Remove {of}
              </button>
            </div>
          </div>
        );
      })}
      <button type="button" className="link" onClick={() => set([...list, { match, limit: isMap(rule['limit']) ? rule['limit'] : DEFAULT_LIMIT }])}>
        Add an override
      </button>
    </>
  );
}

type Policy = 'local' | 'allow' | 'deny' | 'allow-then-deny';

const POLICY_NAMES: { value: Policy; name: string }[] = [
  { value: 'local', name: 'local: each instance counts its share' },
  { value: 'allow', name: 'allow' },
  { value: 'deny', name: 'deny' },
  { value: 'allow-then-deny', name: 'allow at first, then deny' },
];

function FailureFields({ policy, onChange }: { policy: Value | undefined; onChange: (policy: Value | undefined) => void }) {
  const grace = isMap(policy) ? policy['allow-then-deny'] : undefined;
  const shown = grace === undefined ? (POLICY_NAMES.find(({ value }) => value === (policy ?? 'local'))?.value ?? 'local') : 'allow-then-deny';
  return (
    <>
      <SelectField
        label="While the store is unavailable"
        value={shown}
        options={POLICY_NAMES}
        onChange={(next) => onChange(next === 'local' ? undefined : next === 'allow-then-deny' ? { [next]: '30s' } : next)}
      />
      {grace !== undefined && <TextField label="Allowed for" value={grace} mono onChange={(duration) => onChange({ 'allow-then-deny': duration })} />}
    </>
  );
}
