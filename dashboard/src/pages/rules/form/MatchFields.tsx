import { useEffect, useId, useState } from 'react';
import { ATTRIBUTES } from '../../../yaml/schema';
import { isMap, type Value, type ValueMap } from '../../../yaml/tree';
import { conditionOf, conditionsOf, conditionValue, type Condition } from './model';
import { ListField, SelectField } from './inputs';

interface Props {
  match: Value | undefined;
  onChange: (match: ValueMap) => void;
  /** What is matched, for screen readers. */
  of: string;
}

/** The conditions of a match, one line for each attribute. */
export function MatchFields({ match, onChange, of }: Props) {
  const attributes = useId();
  if (match !== undefined && !isMap(match)) return null;
  const map = match ?? {};
  const set = (name: string, value: Value) => onChange({ ...map, [name]: value });
  const unused = ATTRIBUTES.find((name) => !Object.hasOwn(map, name)) ?? `attribute-${Object.keys(map).length + 1}`;
  return (
    <div className="conditions">
      {conditionsOf(map).length === 0 && <p className="quiet">Every request matches.</p>}
      {Object.keys(map).map((name, i) => (
        <ConditionRow
          // By position: a name that is being changed keeps the focus.
          key={i}
          name={name}
          value={map[name]!}
          list={attributes}
          of={of}
          isFree={(other) => !Object.hasOwn(map, other)}
          onRename={(next) => onChange(Object.fromEntries(Object.entries(map).map(([other, value]) => [other === name ? next : other, value])))}
          onChange={(value) => set(name, value)}
          onRemove={() => onChange(Object.fromEntries(Object.entries(map).filter(([other]) => other !== name)))}
        />
      ))}
      <button type="button" className="link" onClick={() => set(unused, '*')}>
        Add a condition
        <span className="hidden"> of {of}</span>
      </button>
      <datalist id={attributes}>
        {ATTRIBUTES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
    </div>
  );
}

type Kind = 'is' | 'is-or-absent' | 'except' | 'except-or-absent' | 'absent';

const KINDS: { value: Kind; name: string }[] = [
  { value: 'is', name: 'matches' },
  { value: 'is-or-absent', name: 'matches, or is absent' },
  { value: 'except', name: 'matches all except' },
  { value: 'except-or-absent', name: 'matches all except, or is absent' },
  { value: 'absent', name: 'is absent' },
];

const kindOf = ({ kind, orAbsent }: Condition): Kind => (kind === 'absent' || kind === 'other' ? 'absent' : orAbsent ? `${kind}-or-absent` : kind);

function withKind(condition: Condition, kind: Kind): Condition {
  if (kind === 'absent') return { kind: 'absent', patterns: [], within: [], orAbsent: false };
  const next = kind.startsWith('except') ? 'except' : 'is';
  const patterns = condition.patterns.length > 0 ? condition.patterns : ['*'];
  // What an exception excludes is seldom what a plain condition matches.
  const same = next === condition.kind;
  return { kind: next, patterns, within: same ? condition.within : [], orAbsent: kind.endsWith('or-absent') };
}

interface RowProps {
  name: string;
  value: Value;
  list: string;
  of: string;
  isFree: (name: string) => boolean;
  onRename: (name: string) => void;
  onChange: (value: Value) => void;
  onRemove: () => void;
}

function ConditionRow({ name, value, list, of, isFree, onRename, onChange, onRemove }: RowProps) {
  const condition = conditionOf(value);
  const change = (next: Condition) => onChange(conditionValue(next));
  if (condition.kind === 'other') {
    return (
      <p className="quiet">
        <code>{name}</code> has a condition that only the YAML shows.
      </p>
    );
  }
  return (
    <div className="condition">
      <AttributeName name={name} list={list} of={of} isFree={isFree} onRename={onRename} />
      <SelectField label="Condition" of={`${name} of ${of}`} value={kindOf(condition)} options={KINDS} onChange={(kind) => change(withKind(condition, kind))} />
      {condition.kind !== 'absent' && (
        <ListField
          label="Values"
          of={`${name} of ${of}`}
          values={condition.patterns}
          placeholder="user:*, or several separated by commas"
          onChange={(patterns) => change({ ...condition, patterns })}
        />
      )}
      <button type="button" className="plain" aria-label={`Remove the condition on ${name} of ${of}`} onClick={onRemove}>
        Remove
      </button>
      {condition.within.length > 0 && <p className="quiet">Within {condition.within.join(', ')}.</p>}
    </div>
  );
}

/** The name of an attribute. It is renamed when the new name is complete: not empty, and not that of another. */
function AttributeName({ name, list, of, isFree, onRename }: Omit<RowProps, 'value' | 'onChange' | 'onRemove'>) {
  const id = useId();
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const taken = text !== name && text !== '' && !isFree(text);
  return (
    <div className="field">
      <label htmlFor={id}>
        Attribute<span className="hidden"> of {of}</span>
      </label>
      <input
        id={id}
        className="mono"
        list={list}
        value={text}
        aria-invalid={taken}
        onChange={(event) => {
          const next = event.target.value.trim();
          setText(next);
          if (next !== '' && next !== name && isFree(next)) onRename(next);
        }}
        onBlur={() => setText(name)}
      />
      {taken && <span className="quiet">There is a condition on {text} already.</span>}
    </div>
  );
}
