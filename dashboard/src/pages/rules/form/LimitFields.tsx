import { ALGORITHMS, fieldOf, RULE, SCOPES } from '../../../yaml/schema';
import { isMap, type Value, type ValueMap } from '../../../yaml/tree';
import { CountField, ListField, SelectField, TextField } from './inputs';
import { fairOf, fairValue, limitFields, withMember, type Fair } from './model';
import { countValue, limitWords, rateOf, rateText, UNITS, type Rate } from './words';

const LIMIT = fieldOf(RULE, 'limit')!.fields!;

interface Props {
  limit: ValueMap;
  onChange: (limit: ValueMap) => void;
  /** Which limit it is, for screen readers. */
  of: string;
  /** The limit of the rule, whose fields an override inherits. */
  inherited?: Value;
  /** How the rule combines its limits, if it has several. */
  combine?: Value;
}

/** One limit: its algorithm, its rate in words, and the other fields of the algorithm. */
export function LimitFields({ limit, onChange, of, inherited, combine }: Props) {
  const base = isMap(inherited) ? inherited : null;
  const set = (name: string, value: Value | undefined) => onChange(withMember(limit, LIMIT, name, value));
  const fields = limitFields(limit, inherited, combine);
  const has = (name: string) => fields.includes(name);
  const words = limitWords(effective(limit, base));
  const text = (name: string) => (value: string) => set(name, value.trim() === '' ? undefined : value.trim());
  return (
    <div className="limit-fields">
      <p className="words" role="status">
        {words || 'Choose an algorithm.'}
      </p>
      <div className="row fields">
        {limit['name'] !== undefined && <TextField label="Name" of={of} value={limit['name']} onChange={text('name')} mono />}
        <SelectField
          label="Algorithm"
          of={of}
          value={String(limit['algorithm'] ?? '')}
          options={[
            ...(base ? [{ value: '', name: `as the rule: ${String(base['algorithm'] ?? '')}` }] : limit['algorithm'] === undefined ? [{ value: '', name: 'none yet' }] : []),
            ...ALGORITHMS.map(({ name, about }) => ({ value: name, name: `${name}: ${about}` })),
          ]}
          onChange={(algorithm) => onChange(withAlgorithm(limit, algorithm))}
        />
      </div>
      {has('rate') && <RateFields value={limit['rate']} inherited={base?.['rate']} of={of} onChange={(rate) => set('rate', rate)} />}
      {has('burst') && (
        <CountField
          label="At once, at most"
          of={of}
          value={limit['burst']}
          placeholder={String(base?.['burst'] ?? rateOf(limit['rate'] ?? base?.['rate'])?.count ?? '')}
          onChange={(burst) => set('burst', burst)}
        />
      )}
      {has('max') && <CountField label="At the same time" of={of} value={limit['max']} placeholder={String(base?.['max'] ?? '')} onChange={(max) => set('max', max)} />}
      <div className="row fields">
        {has('min') && <TextField label="At least" of={of} value={limit['min']} placeholder="1" onChange={(value) => set('min', countValue(value))} mono />}
        {has('initial') && (
          <TextField label="At first" of={of} value={limit['initial']} placeholder="20" onChange={(value) => set('initial', countValue(value))} mono />
        )}
        {has('lease') && <TextField label="Slot lasts" of={of} value={limit['lease']} placeholder="30s" onChange={text('lease')} mono />}
        {has('queue') && (
          <TextField label="Waiting, at most" of={of} value={limit['queue']} placeholder="none" onChange={(value) => set('queue', countValue(value))} mono />
        )}
        {has('max-wait') && <TextField label="Longest wait" of={of} value={limit['max-wait']} placeholder="2s" onChange={text('max-wait')} mono />}
        {has('min-interval') && <TextField label="Apart, at least" of={of} value={limit['min-interval']} placeholder="none" onChange={text('min-interval')} mono />}
        {has('align') && (
          <SelectField
            label="Window begins"
            of={of}
            value={String(limit['align'] ?? 'epoch')}
            options={[
              { value: 'epoch', name: 'at multiples of its length' },
              { value: 'calendar', name: 'with the calendar' },
            ]}
            onChange={(align) => onChange(withAlign(limit, align))}
          />
        )}
        {has('zone') && limit['align'] === 'calendar' && <TextField label="Time zone" of={of} value={limit['zone']} placeholder="UTC" onChange={text('zone')} mono />}
        {has('bound') && (
          <SelectField
            label="Estimate"
            of={of}
            value={String(limit['bound'] ?? 'interpolated')}
            options={[
              { value: 'interpolated', name: 'interpolated' },
              { value: 'conservative', name: 'conservative, never above' },
            ]}
            onChange={(bound) => set('bound', bound === 'interpolated' ? undefined : bound)}
          />
        )}
        {has('buckets') && (
          <TextField label="Buckets" of={of} value={limit['buckets']} placeholder="10" onChange={(value) => set('buckets', countValue(value))} mono />
        )}
        {limit['cost'] !== undefined && <TextField label="Cost" of={of} value={limit['cost']} onChange={text('cost')} mono />}
        {has('weight') && <TextField label="Weight" of={of} value={limit['weight']} placeholder="1" onChange={(value) => set('weight', countValue(value))} mono />}
        {has('priority') && <TextField label="Priority" of={of} value={limit['priority']} placeholder="0" onChange={(value) => set('priority', countValue(value))} mono />}
        {has('scope') && (
          <SelectField
            label="Scope"
            of={of}
            value={String(limit['scope'] ?? '')}
            options={[{ value: '', name: 'none' }, ...SCOPES.map((value) => ({ value: String(value), name: value }))]}
            onChange={(scope) => set('scope', scope === '' ? undefined : scope)}
          />
        )}
      </div>
      {has('fair') && <FairFields fair={limit['fair']} of={of} onChange={(fair) => set('fair', fair)} />}
    </div>
  );
}

/** An override's limit with the fields that it inherits. Those of another algorithm are not inherited. */
function effective(limit: ValueMap, base: ValueMap | null): ValueMap {
  if (base === null) return limit;
  const fields = limitFields({ ...base, ...limit });
  const inherited = Object.fromEntries(Object.entries(base).filter(([name]) => fields.includes(name)));
  return { ...inherited, ...limit };
}

/** Changes the algorithm, and drops the fields that only the former one has. */
export function withAlgorithm(limit: ValueMap, algorithm: string): ValueMap {
  const all = new Set(ALGORITHMS.flatMap(({ fields }) => fields));
  const own = ALGORITHMS.find(({ name }) => name === algorithm)?.fields ?? [];
  const kept = Object.entries(limit).filter(([name]) => name !== 'algorithm' && (!all.has(name) || own.includes(name) || algorithm === ''));
  const next = withMember(Object.fromEntries(kept), LIMIT, 'algorithm', algorithm === '' ? undefined : algorithm);
  if (algorithm === 'concurrency') return next['max'] === undefined ? withMember(next, LIMIT, 'max', 10) : next;
  if (algorithm === 'adaptive-concurrency') return next['max'] === undefined ? withMember(next, LIMIT, 'max', 200) : next;
  return algorithm !== '' && next['rate'] === undefined ? withMember(next, LIMIT, 'rate', '100/1m') : next;
}

function withAlign(limit: ValueMap, align: string): ValueMap {
  if (align === 'calendar') return withMember(limit, LIMIT, 'align', align);
  return withMember(withMember(limit, LIMIT, 'align', undefined), LIMIT, 'zone', undefined);
}

interface FairProps {
  fair: Value | undefined;
  of: string;
  onChange: (fair: Value | undefined) => void;
}

/** How tenants share the limit. The weights are shown once it is shared. */
function FairFields({ fair, of, onChange }: FairProps) {
  const parts = fairOf(fair);
  if (parts === null) return null;
  const change = (part: Partial<Fair>) => onChange(fairValue({ ...parts, ...part }));
  return (
    <div className="row fields">
      <ListField label="Shared fairly among" of={of} values={parts.among} placeholder="not shared" onChange={(among) => change({ among })} />
      {parts.among.length > 0 && (
        <>
          <TextField label="Weight by" of={of} value={parts.weightBy} placeholder="the tenant" mono onChange={(weightBy) => change({ weightBy: weightBy.trim() })} />
          <ListField label="Weights" of={of} values={parts.weights} placeholder="pro=2, enterprise=5" onChange={(weights) => change({ weights })} />
        </>
      )}
    </div>
  );
}

interface RateProps {
  value: Value | undefined;
  inherited: Value | undefined;
  of: string;
  onChange: (value: Value | undefined) => void;
}

function RateFields({ value, inherited, of, onChange }: RateProps) {
  const rate = rateOf(value ?? inherited);
  if (rate === null) {
    return <TextField label="Rate" of={of} value={value} placeholder="100/1m" mono onChange={(text) => onChange(text.trim() === '' ? undefined : text.trim())} />;
  }
  const change = (part: Partial<Rate>) => onChange(rateText({ ...rate, ...part }));
  return (
    <div className="rate">
      <CountField label="Requests" of={of} value={countValue(rate.count)} onChange={(count) => change({ count: count === undefined ? '' : String(count) })} />
      <TextField label="per" of={of} value={rate.amount} mono onChange={(amount) => /^[1-9]\d{0,5}$/.test(amount) && change({ amount: Number(amount) })} />
      <SelectField
        label="Unit"
        of={of}
        value={rate.unit}
        options={UNITS.map(({ symbol, name }) => ({ value: symbol, name: rate.amount === 1 ? name : `${name}s` }))}
        onChange={(unit) => change({ unit })}
      />
    </div>
  );
}
