import type { Quotas } from '../../api/types';
import { href } from '../../app/route';
import { useLive } from '../../live/live';
import { count, plural } from '../../ui/format';
import { Empty, Loading, Notice } from '../../ui/Notice';

/** The quota assignments of proxies: streams, and for each rule what is assigned and reported. */
export function QuotasPage() {
  const { stats } = useLive();
  return (
    <>
      <div className="page-head">
        <h1>Envoy quotas</h1>
      </div>
      {!stats && <Loading what="the quotas" />}
      {stats && !stats.quotas && (
        <Empty title="No proxy uses quotas">Envoy opens a stream to this instance with its rate limit quota filter.</Empty>
      )}
      {stats?.quotas && <Assigned quotas={stats.quotas} />}
    </>
  );
}

function Assigned({ quotas }: { quotas: Quotas }) {
  return (
    <>
      {quotas.expired > 0 && (
        <Notice tone="warning" title={`${plural(quotas.expired, 'permit')} expired without a report`}>
          They were charged, because the proxy may have spent them. A proxy that ends leaves some; many mean that reports do not arrive.
        </Notice>
      )}
      <p>
        {plural(quotas.streams, 'stream')} and {plural(quotas.buckets, 'bucket')} at this instance, {plural(quotas.assigned, 'permit')} assigned.
      </p>
      <section className="section" aria-label="Rules">
        <table className="cards">
          <caption>Requests that proxies have reported to this instance since its start. A request counts for each rule that applies to it.</caption>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col" className="num">Buckets</th>
              <th scope="col" className="num">Assigned</th>
              <th scope="col" className="num">Allowed</th>
              <th scope="col" className="num">Denied</th>
              <th scope="col" className="num">Would be denied</th>
              <th scope="col" className="num">Expired</th>
            </tr>
          </thead>
          <tbody>
            {quotas.rules.map((rule) => (
              <tr key={rule.rule}>
                <th scope="row" className="break">
                  <a href={href(['rules', rule.rule])}>{rule.rule}</a>
                </th>
                <td data-name="Buckets" className="num">{count(rule.buckets)}</td>
                <td data-name="Assigned" className="num">{count(rule.assigned)}</td>
                <td data-name="Allowed" className="num">{count(rule.reportedAllowed)}</td>
                <td data-name="Denied" className="num">{count(rule.reportedDenied)}</td>
                <td data-name="Would be denied" className="num">{count(rule.wouldDeny)}</td>
                <td data-name="Expired" className="num">{count(rule.expired)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
