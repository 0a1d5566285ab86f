import { EXCESSES, EXPIRIES, fieldOf, RULE } from '../../../yaml/schema';
import { isMap, type Value, type ValueMap } from '../../../yaml/tree';
import { SelectField, TextField } from './inputs';
import { withMember } from './model';
import { countValue } from './words';

const RESERVATION = fieldOf(RULE, 'reservation')!.fields!;

const EXCESS_NAMES: Record<(typeof EXCESSES)[number], string> = {
  clamp: 'is reduced',
  refuse: 'is refused',
};

const EXPIRY_NAMES: Record<(typeof EXPIRIES)[number], string> = {
  'charge-used': 'the usage last reported',
  'charge-reserved': 'the whole estimate',
  release: 'nothing',
};

/** How permits of the rule are reserved. Undefined means as usual. */
export function ReservationFields({ reservation, onChange }: { reservation: Value | undefined; onChange: (reservation: Value | undefined) => void }) {
  if (reservation !== undefined && !isMap(reservation)) return null;
  const map: ValueMap = reservation ?? {};
  const set = (name: string, value: Value | undefined) => {
    const next = withMember(map, RESERVATION, name, value);
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  return (
    <div className="stack">
      <div className="row fields">
        <TextField label="Expires after" of="the reservation" value={map['ttl']} placeholder="60s" mono onChange={(ttl) => set('ttl', ttl.trim() || undefined)} />
        <TextField label="Largest part" of="the reservation" value={map['max-share']} placeholder="100%" mono onChange={(share) => set('max-share', share.trim() || undefined)} />
        <TextField label="Default estimate" value={map['default']} placeholder="1" mono onChange={(estimate) => set('default', estimate.trim() === '' ? undefined : countValue(estimate))} />
      </div>
      <div className="row fields">
        <SelectField
          label="A larger estimate"
          value={EXCESSES.find((value) => value === map['excess']) ?? 'clamp'}
          options={EXCESSES.map((value) => ({ value, name: EXCESS_NAMES[value] }))}
          onChange={(excess) => set('excess', excess === 'clamp' ? undefined : excess)}
        />
        <SelectField
          label="An expired reservation is charged"
          value={EXPIRIES.find((value) => value === map['on-expiry']) ?? 'charge-used'}
          options={EXPIRIES.map((value) => ({ value, name: EXPIRY_NAMES[value] }))}
          onChange={(expiry) => set('on-expiry', expiry === 'charge-used' ? undefined : expiry)}
        />
      </div>
    </div>
  );
}
