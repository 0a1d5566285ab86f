import { readRegions } from '../../api/calls';
import type { Region } from '../../api/types';
import { href } from '../../app/route';
import { count, duration } from '../../ui/format';
import { Empty, Mark, Notice, ProblemNotice } from '../../ui/Notice';
import { useAsk } from '../../ui/useAsk';
import { cellOf, homeText, rulesOf, stateOf } from './regionTexts';

const EVERY_MS = 2_000;

/** The regions that share limits: home, the state of each region, and a matrix of shares. */
export function RegionsPage() {
  const { data, problem, loading, again } = useAsk('regions', readRegions, EVERY_MS);
  return (
    <>
      <h1>Regions</h1>
      {problem && <ProblemNotice problem={problem} again={again} />}
      {!data && loading && !problem && <p className="quiet">Loading…</p>}
      {!data && !loading && !problem && (
        <Empty title="No regions">This service was started without --region.</Empty>
      )}
      {data && (
        <>
          <Home {...homeText(data)} />
          <States regions={data.regions} own={data.name} />
          <Shares regions={data.regions} />
          <p className="quiet">
            As home had it {duration(data.home.seenMsAgo)} ago. A share lasts at most {duration(data.leaseMs)} without home.
          </p>
        </>
      )}
    </>
  );
}

function Home({ tone, title, detail }: ReturnType<typeof homeText>) {
  return (
    <Notice tone={tone} title={title}>
      {detail}
    </Notice>
  );
}

function States({ regions, own }: { regions: Region[]; own: string }) {
  return (
    <table className="cards">
      <caption>State of each region</caption>
      <thead>
        <tr>
          <th scope="col">Region</th>
          <th scope="col" className="num">Instances</th>
          <th scope="col" className="num">Rules</th>
          <th scope="col" className="num">Home</th>
          <th scope="col" className="num">Last report</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {regions.map((region) => {
          const state = stateOf(region, regions);
          return (
            <tr key={region.name}>
              <th scope="row">{region.name === own ? `${region.name} (this instance)` : region.name}</th>
              <td data-name="Instances" className="num">{count(region.instances)}</td>
              <td data-name="Rules" className="num">{region.revision === undefined ? '–' : `revision ${region.revision}`}</td>
              <td data-name="Home" className="num">{region.roundTripMs === undefined ? '–' : duration(region.roundTripMs)}</td>
              <td data-name="Last report" className="num">{duration(region.ageMs)} ago</td>
              <td data-name="State">
                <Mark tone={state.tone} /> {state.text}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Shares({ regions }: { regions: Region[] }) {
  const rules = rulesOf(regions);
  if (rules.length === 0) return <p className="quiet">No region holds permits now.</p>;
  return (
    <table className="cards">
      <caption>Permits that each region holds, and requests a second</caption>
      <thead>
        <tr>
          <th scope="col">Rule</th>
          {regions.map((region) => (
            <th key={region.name} scope="col" className="num">{region.name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <tr key={rule}>
            <th scope="row" className="break">
              <a href={href(['rules', rule])}>{rule}</a>
            </th>
            {regions.map((region) => (
              <td key={region.name} data-name={region.name} className="num">{cellOf(region, rule)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
