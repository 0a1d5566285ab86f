import { session } from '../api/session';
import { useLive } from '../live/live';
import { useAccount } from './account';
import { href } from './route';
import { toggleTheme, useTheme } from './theme';
import { Wordmark } from './Wordmark';

interface Place {
  part: string;
  name: string;
  also?: string[];
}

const PLACES: Place[] = [
  { part: '', name: 'Overview' },
  { part: 'rules', name: 'Rules', also: ['history', 'new-rule'] },
  { part: 'callers', name: 'Callers', also: ['explain'] },
  { part: 'playground', name: 'Playground' },
  { part: 'what-if', name: 'Simulation' },
];

/** Shown only by members of a cluster. */
const CLUSTER: Place = { part: 'cluster', name: 'Cluster' };

/** Shown only by instances of a region. */
const REGIONS: Place = { part: 'regions', name: 'Regions' };

/** Shown only if a proxy has used quotas. */
const QUOTAS: Place = { part: 'quotas', name: 'Envoy' };

export function Header({ place }: { place: string }) {
  const account = useAccount();
  const { stats } = useLive();
  const places = [
    ...PLACES,
    ...(stats?.store.kind === 'cluster' ? [CLUSTER] : []),
    ...(stats?.store.region ? [REGIONS] : []),
    ...(stats?.quotas ? [QUOTAS] : []),
  ];
  return (
    <header className="top">
      <a className="home" href={href([])} aria-label="Headgate, overview">
        <Wordmark />
      </a>
      <nav aria-label="Pages">
        {places.map(({ part, name, also }) => {
          const here = part === place || also?.includes(place);
          return (
            <a key={name} href={href(part ? [part] : [])} aria-current={here ? 'page' : undefined}>
              {name}
            </a>
          );
        })}
      </nav>
      <div className="corner">
        <LineState />
        {account.guarded && account.role === 'read' && <span className="tag">read only</span>}
        <ThemeButton />
        {account.guarded && (
          <button type="button" className="plain" onClick={() => session.signOut()}>
            Sign out
          </button>
        )}
      </div>
    </header>
  );
}

function LineState() {
  const { line } = useLive();
  const text = line === 'live' ? 'live' : line === 'connecting' ? 'connecting…' : 'reconnecting…';
  return (
    <span className={`line ${line}`} role="status" title={line === 'live' ? 'Statistics are updated every second' : 'The statistics shown may be outdated'}>
      <svg viewBox="0 0 10 10" aria-hidden="true">
        {line === 'live' ? <circle cx="5" cy="5" r="4" /> : <circle cx="5" cy="5" r="3.2" className="hollow" />}
      </svg>
      {text}
    </span>
  );
}

function ThemeButton() {
  const { shown } = useTheme();
  const other = shown === 'dark' ? 'light' : 'dark';
  return (
    <button type="button" className="plain icon" aria-label={`Use the ${other} theme`} title={`Use the ${other} theme`} onClick={toggleTheme}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        {shown === 'dark' ? (
          <path d="M10 6.2a3.8 3.8 0 100 7.6 3.8 3.8 0 000-7.6zM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6L16 16M4 16l1.4-1.4M14.6 5.4L16 4" />
        ) : (
          <path d="M16.5 12.2A7 7 0 017.8 3.5a7 7 0 108.7 8.7z" />
        )}
      </svg>
    </button>
  );
}
