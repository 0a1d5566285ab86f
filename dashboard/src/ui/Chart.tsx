import { useEffect, useId, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../app/theme';
import { clock } from './format';

export interface Line {
  label: string;
  /** A custom property that holds the colour, such as --allowed. */
  colour: string;
  /** Distinguishes lines without relying on colour. */
  dash?: number[];
  fill?: boolean;
  width?: number;
  /** Whether the values belong to the scale on the right. */
  right?: boolean;
  values: (number | null)[];
}

interface Props {
  title: string;
  /** Text alternative of the chart. */
  summary: string;
  at: number[];
  lines: Line[];
  format: (value: number) => string;
  /** Format of the axis, if different. */
  ticks?: (value: number) => string;
  height?: number;
  /** Minimum of the upper end of the scale. */
  atLeast?: number;
  /** The scale on the right, if a line has one. */
  right?: RightScale;
}

interface RightScale {
  format: (value: number) => string;
  atLeast: number;
}

const property = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A line chart over time. The legend shows the values under the cursor, or the latest. */
export function Chart({ title, summary, at, lines, format, ticks = format, height = 200, atLeast = 1, right }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const legend = useRef<HTMLUListElement>(null);
  const theme = useTheme().shown;
  const name = useId();
  const shape = lines.map((line) => line.label + line.colour).join('|');
  const latest = useRef({ lines, format, ticks, right });
  latest.current = { lines, format, ticks, right };

  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const showLegend = (u: uPlot) => showValues(legend.current, u, latest.current.lines, latest.current);
    const chart = new uPlot(options(element.clientWidth, height, latest.current, atLeast, showLegend), [[]], element);
    plot.current = chart;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) chart.setSize({ width: element.clientWidth, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [theme, shape, height, atLeast]);

  useEffect(() => {
    const chart = plot.current;
    if (!chart) return;
    chart.setData([at, ...lines.map((line) => line.values)] as uPlot.AlignedData);
    showValues(legend.current, chart, lines, latest.current);
  }, [at, lines, format, theme, shape]);

  return (
    <figure className="chart" aria-labelledby={name}>
      <figcaption>
        <h3 id={name}>{title}</h3>
        <ul className="legend" ref={legend}>
          {lines.map((line) => (
            <li key={line.label}>
              <Swatch line={line} />
              {line.label} <span className="now">–</span>
            </li>
          ))}
        </ul>
        <p className="hidden">{summary}</p>
      </figcaption>
      <div ref={host} className="plot" aria-hidden="true" />
    </figure>
  );
}

function Swatch({ line }: { line: Line }) {
  return (
    <svg className="swatch" viewBox="0 0 18 8" aria-hidden="true">
      <line
        x1="0"
        x2="18"
        y1="4"
        y2="4"
        stroke={`var(${line.colour})`}
        strokeWidth="3"
        strokeDasharray={line.dash?.join(' ')}
      />
    </svg>
  );
}

function showValues(
  list: HTMLUListElement | null,
  u: uPlot,
  lines: Line[],
  { format, right }: { format: (value: number) => string; right?: RightScale | undefined },
) {
  const index = u.cursor.idx ?? null;
  list?.querySelectorAll('.now').forEach((reading, i) => {
    const values = lines[i]?.values ?? [];
    const value = index === null ? values.at(-1) : values[index];
    const text = lines[i]?.right && right ? right.format : format;
    reading.textContent = value == null ? '–' : text(value);
  });
}

function options(
  width: number,
  height: number,
  { lines, ticks: shown, right }: { lines: Line[]; ticks: (value: number) => string; right?: RightScale | undefined },
  atLeast: number,
  showLegend: (u: uPlot) => void,
): uPlot.Options {
  const text = property('--quiet');
  const grid = property('--grid');
  const font = `11px ${property('--sans')}`;
  const axis = { stroke: text, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    width: Math.max(width, 50),
    height,
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      y: { range: (_u, _min, max) => [0, Math.max(atLeast, (max ?? 0) * 1.08)] },
      ...(right ? { right: { range: (_u: uPlot, _min: number, max: number): [number, number] => [0, Math.max(right.atLeast, (max ?? 0) * 1.08)] } } : {}),
    },
    axes: [
      { ...axis, size: 26, space: 70, values: (_u, ticks) => ticks.map((t) => clock(t * 1000, ticks.length > 1 && ticks[1]! - ticks[0]! < 60)) },
      { ...axis, size: 56, space: 34, values: (_u, ticks) => ticks.map((t) => shown(t)) },
      ...(right ? [{ ...axis, scale: 'right', side: 1 as const, size: 64, space: 34, grid: { show: false }, values: (_u: uPlot, ticks: number[]) => ticks.map((t) => right.format(t)) }] : []),
    ],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.label,
        stroke: property(line.colour),
        width: line.width ?? 1.75,
        points: { show: false },
        ...(line.right ? { scale: 'right' } : {}),
        ...(line.dash ? { dash: line.dash } : {}),
        ...(line.fill ? { fill: `${property(line.colour)}22` } : {}),
      })),
    ],
    hooks: { setCursor: [showLegend] },
  };
}
