import { fieldOf, RULE } from '../../../yaml/schema';
import { isMap, type Value, type ValueMap } from '../../../yaml/tree';
import { TextField } from './inputs';
import { ALL_DAYS, daysOf, daysValue, hoursOf, hoursValue, momentOf, momentValue, withMember } from './model';

const ACTIVE = fieldOf(RULE, 'active')!.fields!;

/** When a rule applies. Undefined means always. */
export function ScheduleFields({ active, onChange }: { active: Value | undefined; onChange: (active: Value | undefined) => void }) {
  if (active !== undefined && !isMap(active)) return null;
  const map: ValueMap = active ?? {};
  const set = (name: string, value: Value | undefined) => {
    const next = withMember(map, ACTIVE, name, value);
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  const days = daysOf(map['days']);
  const hours = hoursOf(map['hours']);
  return (
    <div className="stack">
      {days && (
        <fieldset className="segments">
          <legend>Days</legend>
          {ALL_DAYS.map((day) => (
            <label key={day}>
              <input
                type="checkbox"
                checked={days.includes(day)}
                onChange={({ target }) => {
                  const next = ALL_DAYS.filter((other) => (other === day ? target.checked : days.includes(other)));
                  if (next.length > 0) set('days', daysValue(next));
                }}
              />
              {day}
            </label>
          ))}
        </fieldset>
      )}
      <div className="row fields">
        {hours && <TextField type="time" label="From" of="each day" value={hours[0]} onChange={(from) => set('hours', hoursValue(from, hours[1]))} />}
        {hours && <TextField type="time" label="To" of="each day" value={hours[1]} onChange={(to) => set('hours', hoursValue(hours[0], to))} />}
        <TextField label="Time zone" of="the schedule" value={map['zone']} placeholder="UTC" mono onChange={(zone) => set('zone', zone.trim() || undefined)} />
      </div>
      <div className="row fields">
        <TextField type="datetime-local" label="Begins" value={momentOf(map['from'])} onChange={(from) => set('from', momentValue(from))} />
        <TextField type="datetime-local" label="Ends" value={momentOf(map['until'])} onChange={(until) => set('until', momentValue(until))} />
      </div>
    </div>
  );
}
