import type { BackendLevel, TunedRate } from '../../api/types';
import { compact, duration, percent } from '../../ui/format';

/** The drop levels of a rule that sheds load, as this instance applies them. */
export function Levels({ levels }: { levels: BackendLevel[] }) {
  return (
    <section className="section" aria-labelledby="levels">
      <h2 id="levels">Load shedding</h2>
      {levels.length === 0 && <p className="quiet">No backend has reported or had requests in the last minute.</p>}
      {levels.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Backend</th>
              <th scope="col">Dropped</th>
              <th scope="col">Signal</th>
              <th scope="col">Reporters</th>
              <th scope="col">Last report</th>
            </tr>
          </thead>
          <tbody>
            {levels.map(({ backend, level, signal, reporters, signalAgeMs }) => (
              <tr key={backend}>
                <td className="mono break">{backend || 'all'}</td>
                <td>{percent(level, 1)}</td>
                <td>{signalAgeMs === null ? '–' : signal}</td>
                <td>{reporters}</td>
                <td>{signalAgeMs === null ? 'none; nothing is dropped' : `${duration(signalAgeMs)} ago`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** The present rates of a rule whose rate follows a signal; nothing if there are none. */
export function TunedRates({ rates }: { rates: TunedRate[] }) {
  if (rates.length === 0) return null;
  return (
    <section className="section" aria-labelledby="tuned">
      <h2 id="tuned">Rate that follows the load</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Backend</th>
            <th scope="col">Rate</th>
            <th scope="col">Signal</th>
            <th scope="col">Reporters</th>
            <th scope="col">Last report</th>
          </tr>
        </thead>
        <tbody>
          {rates.map(({ backend, ratePerSecond, signal, reporters, signalAgeMs }) => (
            <tr key={backend}>
              <td className="mono break">{backend || 'all'}</td>
              <td>{compact(ratePerSecond)} per second</td>
              <td>{signalAgeMs === null ? '–' : signal}</td>
              <td>{reporters}</td>
              <td>{signalAgeMs === null ? 'none; the rate of the rule applies' : `${duration(signalAgeMs)} ago`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
