import { useEffect, useId, useState, type ReactNode } from 'react';
import { countAt, countOf, countValue, positionOf, SLIDER_MAX } from './words';
import type { Value } from '../../../yaml/tree';

interface FieldProps {
  label: string;
  /** For screen readers, where the same label occurs more than once. */
  of?: string;
  hint?: ReactNode;
}

const Label = ({ label, of, id }: { label: string; of?: string | undefined; id: string }) => (
  <label htmlFor={id}>
    {label}
    {of && <span className="hidden"> of {of}</span>}
  </label>
);

export interface TextProps extends FieldProps {
  value: Value | undefined;
  onChange: (text: string) => void;
  placeholder?: string;
  mono?: boolean;
  list?: string;
  type?: 'text' | 'time' | 'datetime-local';
}

export function TextField({ label, of, hint, value, onChange, placeholder, mono = false, list, type = 'text' }: TextProps) {
  const id = useId();
  return (
    <div className="field">
      <Label label={label} of={of} id={id} />
      <input
        id={id}
        type={type}
        className={mono ? 'mono' : undefined}
        value={value === undefined || value === null || typeof value === 'object' ? '' : String(value)}
        placeholder={placeholder}
        list={list}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint && <span className="quiet">{hint}</span>}
    </div>
  );
}

interface SelectProps<T extends string> extends FieldProps {
  value: T;
  options: readonly { value: T; name: string }[];
  onChange: (value: T) => void;
}

export function SelectField<T extends string>({ label, of, hint, value, options, onChange }: SelectProps<T>) {
  const id = useId();
  return (
    <div className="field">
      <Label label={label} of={of} id={id} />
      <select id={id} value={value} onChange={(event) => onChange(event.target.value as T)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
      {hint && <span className="quiet">{hint}</span>}
    </div>
  );
}

export function Segments<T extends string>({ label, value, options, onChange }: SelectProps<T>) {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          {option.name}
        </label>
      ))}
    </fieldset>
  );
}

const itemsOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

interface ListProps extends FieldProps {
  values: string[];
  onChange: (values: string[]) => void;
  placeholder?: string;
  list?: string;
}

/** Several values, separated by commas. The text stays as it is typed, as long as it means the values of the rule. */
export function ListField({ values, onChange, ...rest }: ListProps) {
  const [text, setText] = useState(values.join(', '));
  const meant = itemsOf(text).join('\n');
  const given = values.join('\n');
  useEffect(() => {
    if (meant !== given) setText(values.join(', '));
  }, [given]);
  return (
    <TextField
      mono
      {...rest}
      value={text}
      onChange={(next) => {
        setText(next);
        if (itemsOf(next).join('\n') !== given) onChange(itemsOf(next));
      }}
    />
  );
}

interface CountProps extends FieldProps {
  value: Value | undefined;
  /** Undefined removes the field. */
  onChange: (value: Value | undefined) => void;
  placeholder?: string;
  unit?: string;
}

/** A count, to be typed or to be set by a slider whose steps grow with it. */
export function CountField({ label, of, hint, value, onChange, placeholder, unit }: CountProps) {
  const id = useId();
  const count = countOf(value === undefined ? placeholder : value);
  return (
    <div className="field count">
      <Label label={label} of={of} id={id} />
      <input
        id={id}
        inputMode="numeric"
        value={value === undefined || value === null ? '' : String(value)}
        placeholder={placeholder}
        onChange={(event) => onChange(countValue(event.target.value))}
      />
      <input
        type="range"
        min={0}
        max={SLIDER_MAX}
        value={positionOf(count ?? 1)}
        aria-label={`${label}${of ? ` of ${of}` : ''}, slider`}
        aria-valuetext={`${count ?? 'unknown'}${unit ? ` ${unit}` : ''}`}
        onChange={(event) => onChange(countAt(Number(event.target.value)))}
      />
      {hint && <span className="quiet">{hint}</span>}
    </div>
  );
}
