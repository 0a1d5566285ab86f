import { useMemo } from 'react';
import type { OneCaller } from '../../api/types';
import { Chart } from '../../ui/Chart';
import { Empty } from '../../ui/Notice';
import { compact, count, rate } from '../../ui/format';

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

/** What one caller did, second by second, as far as this instance has seen it. */
export function Timeline({ series, instances }: { series: OneCaller['series']; instances: number }) {
  if (series === null) {
    return <Empty title="Another instance's; no timeline here.">Only the instance that a caller asks keeps its seconds.</Empty>;
  }
  return (
    <>
      <Seconds series={series} />
      {instances > 1 && (
        <p className="quiet">The timeline is what this instance saw; the figures above are added up over {instances} instances.</p>
      )}
    </>
  );
}

function Seconds({ series: { from, stepMs, allowed, denied } }: { series: NonNullable<OneCaller['series']> }) {
  const at = useMemo(() => allowed.map((_, i) => (from + i * stepMs) / 1000), [allowed, from, stepMs]);
  const lines = useMemo(
    () => [
      { label: 'Allowed', colour: '--allowed', fill: true, values: allowed },
      { label: 'Denied', colour: '--denied', dash: [6, 2], width: 2, values: denied },
    ],
    [allowed, denied],
  );
  return (
    <Chart
      title="Decisions a second"
      summary={`${count(sum(allowed))} allowed and ${count(sum(denied))} denied in the time shown.`}
      at={at}
      lines={lines}
      format={rate}
      ticks={compact}
      height={200}
      atLeast={3}
    />
  );
}
