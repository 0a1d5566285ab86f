import { useMemo } from 'react';
import type { OneCaller } from '../../api/types';
import { Chart } from '../../ui/Chart';
import { Empty } from '../../ui/Notice';
import { compact, count, rate } from '../../ui/format';

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

/** Timeline of one caller, second by second, as seen by this instance. */
export function Timeline({ series, instances }: { series: OneCaller['series']; instances: number }) {
  if (series === null) {
    return <Empty title="No timeline on this instance">Only the instance that serves a caller records its timeline.</Empty>;
  }
  return (
    <>
      <Seconds series={series} />
      {instances > 1 && (
        <p className="quiet">The timeline covers this instance; the counts above are the sums of {instances} instances.</p>
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
      title="Decisions per second"
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
