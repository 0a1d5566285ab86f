import { useEffect, useRef } from 'react';
import { LiveFeed } from '../live/live';
import { CallersPage } from '../pages/callers/CallersPage';
import { CallerPage } from '../pages/callers/CallerPage';
import { ExplainPage } from '../pages/callers/ExplainPage';
import { ClusterPage } from '../pages/cluster/ClusterPage';
import { identityOf } from '../pages/callers/name';
import { OverviewPage } from '../pages/overview/OverviewPage';
import { QuotasPage } from '../pages/quotas/QuotasPage';
import { RegionsPage } from '../pages/regions/RegionsPage';
import { PlaygroundPage } from '../pages/playground/PlaygroundPage';
import { EditRulePage } from '../pages/rules/EditRulePage';
import { HistoryPage } from '../pages/rules/HistoryPage';
import { RulePage } from '../pages/rules/RulePage';
import { RulesPage } from '../pages/rules/RulesPage';
import { WhatIfPage } from '../pages/whatif/WhatIfPage';
import { Empty } from '../ui/Notice';
import { AccountGate } from './account';
import { IgnoredFileNotice, StoreBanner } from './StoreBanner';
import { Header } from './Header';
import { PageBoundary } from './PageBoundary';
import { href, useRoute, type Route } from './route';

export function App() {
  return (
    <AccountGate>
      <LiveFeed>
        <Shell />
      </LiveFeed>
    </AccountGate>
  );
}

const TITLES: Record<string, string> = {
  '': 'Overview',
  rules: 'Rules',
  'new-rule': 'New rule',
  history: 'History',
  callers: 'Callers',
  explain: 'Explain',
  playground: 'Playground',
  'what-if': 'Simulation',
  regions: 'Regions',
  quotas: 'Envoy quotas',
  cluster: 'Cluster',
};

function Shell() {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const place = route.parts.join('/');
  const title = TITLES[route.parts[0] ?? ''] ?? 'Not found';
  useEffect(() => {
    document.title = `${[route.parts[1], title].filter(Boolean).join(' · ')} · Headgate`;
    // Moves the focus, so that screen readers announce the new page.
    if (!first.current) main.current?.focus({ preventScroll: true });
    if (!first.current) window.scrollTo(0, 0);
    first.current = false;
  }, [place]);
  return (
    <>
      <a className="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>
        Skip to the content
      </a>
      <Header place={route.parts[0] ?? ''} />
      <main id="main" ref={main} tabIndex={-1}>
        <StoreBanner />
        {(place === '' || route.parts[0] === 'rules') && <IgnoredFileNotice />}
        <PageBoundary key={place} name={title}>
          <Page route={route} />
        </PageBoundary>
        <p className="quiet">Times are in the time zone of this browser, {Intl.DateTimeFormat().resolvedOptions().timeZone}.</p>
      </main>
    </>
  );
}

/** The attributes in the address, for which an override is prepared: `?for=user=42`. */
function overrideFor({ query }: Route) {
  const caller = query.get('for');
  return caller === null ? null : identityOf(caller);
}

function Page({ route }: { route: Route }) {
  const [page, item, part] = route.parts;
  switch (page) {
    case undefined:
      return <OverviewPage />;
    case 'rules':
      if (item === undefined) return <RulesPage />;
      return part === 'edit' ? <EditRulePage id={item} overrideFor={overrideFor(route)} /> : <RulePage id={item} />;
    case 'new-rule':
      return <EditRulePage id={null} />;
    case 'history':
      return <HistoryPage />;
    case 'callers':
      return item === undefined ? <CallersPage /> : <CallerPage caller={item} />;
    case 'explain':
      return <ExplainPage query={route.query} />;
    case 'playground':
      return <PlaygroundPage query={route.query} />;
    case 'what-if':
      return <WhatIfPage query={route.query} />;
    case 'regions':
      return <RegionsPage />;
    case 'quotas':
      return <QuotasPage />;
    case 'cluster':
      return <ClusterPage />;
    default:
      return (
        <Empty title="Page not found">
          <a href={href([])}>Go to the overview</a>
        </Empty>
      );
  }
}
