import { readHealth } from '../../api/calls';
import type { ClusterState, Health } from '../../api/types';
import { Empty, Loading, Notice, ProblemNotice, type Tone } from '../../ui/Notice';
import { count, plural, zoned } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';

const EVERY_MS = 2000;

/** The members of the cluster as the instance that serves the page sees them. */
export function ClusterPage() {
  const { data, problem, again } = useAsk('cluster', readHealth, EVERY_MS);
  return (
    <>
      <div className="page-head">
        <h1>Cluster</h1>
      </div>
      {problem && <ProblemNotice problem={problem} again={again} />}
      {!data && !problem && <Loading what="the members" />}
      {data && <Store store={data.store} />}
    </>
  );
}

function Store({ store }: { store: Health['store'] }) {
  if (store.kind !== 'cluster') {
    return (
      <Empty title="No cluster">
        This instance keeps its counters in {store.kind === 'redis' ? 'Redis' : 'its memory'}. Members exist with --store cluster.
      </Empty>
    );
  }
  if (!store.cluster) {
    return <Notice tone="warning" title="This member is joining the cluster" />;
  }
  return <Members cluster={store.cluster} />;
}

/** One sentence about the state, the most urgent first. */
export function clusterText(cluster: ClusterState): { tone: Tone; title: string; detail: string } {
  const { members, expected, unowned, unbacked, unreachable } = cluster;
  const present = `${count(members.length)} of ${plural(expected, 'member')}`;
  if (!cluster.majority) {
    return {
      tone: 'bad',
      title: `${present}: a minority, which does not decide`,
      detail: "Each rule's on-store-failure policy decides here until the other members can be reached.",
    };
  }
  if (unowned > 0) {
    return {
      tone: 'warning',
      title: `${present}, rebalancing: ${plural(unowned, 'partition has', 'partitions have')} no owner`,
      detail: 'Checks of their counters wait, or take the on-store-failure policy of their rules.',
    };
  }
  if (members.length === 1) {
    return {
      tone: 'info',
      title: `${present}: there are no copies`,
      detail: 'If this member fails, its counters are lost. Start another one that joins it.',
    };
  }
  if (unbacked > 0) {
    return {
      tone: 'warning',
      title: `${present}, rebalancing: ${plural(unbacked, 'partition has', 'partitions have')} no copy`,
      detail: 'Their counters would be lost with the next member. Copies are made now.',
    };
  }
  if (unreachable.length > 0) {
    return {
      tone: 'warning',
      title: `${present}: ${plural(unreachable.length, 'member')} can't be reached`,
      detail: 'The others have taken over. A lost member counts for the majority for one minute.',
    };
  }
  return { tone: 'good', title: `${present}: every partition has an owner and a copy`, detail: '' };
}

function Members({ cluster }: { cluster: ClusterState }) {
  const { tone, title, detail } = clusterText(cluster);
  return (
    <>
      <Notice tone={tone} title={title}>
        {detail && <p>{detail}</p>}
      </Notice>
      <section className="section" aria-label="Members">
        <table className="cards">
          <caption>
            {count(cluster.partitions)} partitions of the key space, as this member sees them. A counter is decided by the owner of its
            partition.
          </caption>
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">State</th>
              <th scope="col" className="num">Owns</th>
              <th scope="col" className="num">Copies</th>
            </tr>
          </thead>
          <tbody>
            {cluster.members.map((member) => (
              <tr key={member.id}>
                <th scope="row" className="whole">
                  {member.address} {member.self && <span className="tag">this member</span>}
                </th>
                <td data-name="State">present</td>
                <td className="num" data-name="Owns">{count(member.owned)}</td>
                <td className="num" data-name="Copies">{count(member.backed)}</td>
              </tr>
            ))}
            {cluster.unreachable.map((member) => (
              <tr key={member.id}>
                <th scope="row" className="whole">{member.address}</th>
                <td data-name="State" className="some-denied">unreachable since {zoned(Date.parse(member.since))}</td>
                <td className="num" data-name="Owns">–</td>
                <td className="num" data-name="Copies">–</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
