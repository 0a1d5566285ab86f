import { useId, type ReactNode } from 'react';
import { count as shownCount } from '../../ui/format';
import { DrawTraffic } from './DrawTraffic';
import { ALGORITHMS, KIND_NAMES, KIND_SENTENCES, KINDS, LOUD_TENANT, WINDOWS, type Setup } from './setup';

interface Props {
  setup: Setup;
  onChange: (part: Partial<Setup>) => void;
}

export function Controls({ setup, onChange }: Props) {
  const withRate = ['steady', 'ramp', 'random', 'bursts', 'edges', 'tenants'].includes(setup.kind);
  const withBurst = setup.kind === 'bursts' || setup.kind === 'edges';
  return (
    <div className="stack">
      <fieldset className="segments">
        <legend>Traffic</legend>
        {KINDS.map((kind) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={setup.kind === kind} onChange={() => onChange(kind === 'tenants' ? LOUD_TENANT : { kind })} />
            {KIND_NAMES[kind]}
          </label>
        ))}
      </fieldset>
      <p className="quiet">{KIND_SENTENCES[setup.kind]}</p>
      {withBurst && (
        <>
          <Slider label="Burst of" unit="requests" value={setup.burst} least={1} most={500} onChange={(burst) => onChange({ burst })} />
          <Slider label="Every" unit="s" value={setup.everyS} least={1} most={30} onChange={(everyS) => onChange({ everyS })} />
        </>
      )}
      {withRate && (
        <Slider
          label={withBurst ? 'Background rate' : setup.kind === 'ramp' ? 'Up to' : setup.kind === 'tenants' ? 'Loud tenant' : 'Rate'}
          unit="/s"
          value={setup.perSecond}
          least={0}
          most={200}
          onChange={(perSecond) => onChange({ perSecond })}
        />
      )}
      {setup.kind === 'random' && (
        <button type="button" onClick={() => onChange({ seed: setup.seed + 1 })}>
          New random seed
        </button>
      )}
      {setup.kind === 'drawn' && <DrawTraffic values={setup.drawn} onChange={(drawn) => onChange({ drawn })} />}
      {setup.kind === 'times' && (
        <div className="field">
          <label htmlFor="times">Arrival times in ms</label>
          <textarea id="times" className="mono" rows={5} value={setup.times} onChange={(event) => onChange({ times: event.target.value })} />
        </div>
      )}
      <hr />
      <Slider label="Limit" unit="requests" value={setup.count} least={1} most={500} onChange={(count) => onChange({ count })} />
      <div className="field">
        <label htmlFor="window">Per</label>
        <select id="window" value={setup.windowS} onChange={(event) => onChange({ windowS: Number(event.target.value) })}>
          {[...new Set([...WINDOWS, setup.windowS])].sort((a, b) => a - b).map((seconds) => (
            <option key={seconds} value={seconds}>
              {seconds === 1 ? '1 second' : `${seconds} seconds`}
            </option>
          ))}
        </select>
      </div>
      <Slider
        label="Burst, queue"
        unit="requests"
        value={setup.allowance}
        least={1}
        most={500}
        onChange={(allowance) => onChange({ allowance })}
      />
      <fieldset className="bare algorithms">
        <legend>Algorithms</legend>
        {Object.entries(ALGORITHMS).map(([id, { name }]) => {
          const chosen = setup.algorithms.includes(id);
          return (
            <label key={id} className="check">
              <input
                type="checkbox"
                checked={chosen}
                disabled={chosen && setup.algorithms.length === 1}
                onChange={() =>
                  onChange({ algorithms: Object.keys(ALGORITHMS).filter((known) => (known === id ? !chosen : setup.algorithms.includes(known))) })
                }
              />
              {name}
            </label>
          );
        })}
      </fieldset>
    </div>
  );
}

interface SliderProps {
  label: ReactNode;
  unit: string;
  value: number;
  least: number;
  most: number;
  onChange: (value: number) => void;
}

function Slider({ label, unit, value, least, most, onChange }: SliderProps) {
  const name = useId();
  return (
    <div className="slider">
      <label htmlFor={name}>{label}</label>
      <output htmlFor={name}>
        {shownCount(value)} <span className="quiet">{unit}</span>
      </output>
      <input
        id={name}
        type="range"
        min={least}
        max={most}
        value={value}
        aria-valuetext={`${value} ${unit}`}
        onChange={(event) => onChange(Number(event.target.value))}
      />
    </div>
  );
}
