import type { Anomaly } from '../../api/types';
import { href } from '../../app/route';
import { clock, duration } from '../../ui/format';
import { Empty, Mark, type Tone } from '../../ui/Notice';

const TONES: Record<Anomaly['severity'], Tone> = { info: 'info', warning: 'warning', critical: 'bad' };
const NAMES: Record<Anomaly['severity'], string> = { info: 'Note', warning: 'Warning', critical: 'Critical' };

export function Anomalies({ anomalies, now }: { anomalies: Anomaly[]; now: number }) {
  if (anomalies.length === 0) {
    return <Empty title="No anomalies within the last hour">Request rates, denials, new callers and the store are monitored.</Empty>;
  }
  return (
    <ol className="anomalies" tabIndex={0} aria-label="Anomalies, newest first">
      {anomalies.map((anomaly) => (
        <li key={anomaly.id} className={anomaly.until === null ? undefined : 'over'}>
          <Mark tone={TONES[anomaly.severity]} />
          <div>
            <p className="break">
              <span className="hidden">{NAMES[anomaly.severity]}: </span>
              {anomaly.caller === null ? anomaly.text.charAt(0).toUpperCase() + anomaly.text.slice(1) : anomaly.text}
            </p>
            <p className="quiet">
              {anomaly.until === null
                ? `since ${clock(anomaly.since)}, for ${duration(Math.max(0, now - anomaly.since))}`
                : `${clock(anomaly.since)} to ${clock(anomaly.until)}, over`}
              {anomaly.rule !== null && (
                <>
                  {' · '}
                  <a href={href(['rules', anomaly.rule])}>{anomaly.rule}</a>
                </>
              )}
              {anomaly.caller !== null && (
                <>
                  {' · '}
                  <a href={href(['callers', anomaly.caller])}>{anomaly.caller}</a>
                </>
              )}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
