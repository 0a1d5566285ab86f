import { readReservations } from '../../api/calls';
import { Empty, ProblemNotice } from '../../ui/Notice';
import { count, plural } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';

const REFRESH_MS = 2000;
const NOT_IMPLEMENTED = 501;

/**
 * The counters of a rule of which open reservations hold permits. Without any, only a rule that configures reservations has the
 * section.
 */
export function Reservations({ rule, configured }: { rule: string; configured: boolean }) {
  const { data, problem, again } = useAsk(`reservations ${rule}`, (signal) => readReservations(rule, signal), REFRESH_MS);
  const counters = data?.counters ?? [];
  if (!configured && counters.length === 0) return null;
  if (problem?.status === NOT_IMPLEMENTED) return null;
  return (
    <section className="section" aria-labelledby="reservations">
      <h2 id="reservations">Open reservations</h2>
      {problem && <ProblemNotice problem={problem} again={again} />}
      {data && counters.length === 0 && <Empty title="No reservation is open" />}
      {counters.length > 0 && (
        <table>
          <caption>
            {counters.every(({ complete }) => complete)
              ? `${plural(counters.length, 'counter')}, most held first`
              : 'Of the 1,000 reservations that expire first, most held first'}
          </caption>
          <thead>
            <tr>
              <th scope="col">Counter</th>
              <th scope="col">Limit</th>
              <th scope="col" className="num">Open</th>
              <th scope="col" className="num">Held</th>
              <th scope="col" className="num">Used</th>
              <th scope="col" className="num">Free</th>
            </tr>
          </thead>
          <tbody>
            {counters.map(({ key, limit, open, held, used, free }) => (
              <tr key={`${limit} ${key}`}>
                <th scope="row" className="break">{key}</th>
                <td>{limit}</td>
                <td className="num">{count(open)}</td>
                <td className="num">{count(held)}</td>
                <td className="num">{count(used)}</td>
                <td className="num">{count(free)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
