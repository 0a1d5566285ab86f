import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { DURATION_S } from './setup';

const MAX_HEIGHT = 100;

interface Props {
  values: number[];
  onChange: (values: number[]) => void;
}

/** Editor for the number of requests in each second, by pointer or arrow keys. */
export function DrawTraffic({ values, onChange }: Props) {
  const [at, setAt] = useState(0);
  const before = useRef<number | null>(null);
  const latest = useRef(values);
  latest.current = values;

  const position = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * DURATION_S);
    const y = Math.round((1 - (event.clientY - box.top) / box.height) * MAX_HEIGHT);
    return { x: Math.min(DURATION_S - 1, Math.max(0, x)), y: Math.min(MAX_HEIGHT, Math.max(0, y)) };
  };
  const draw = (event: PointerEvent<SVGSVGElement>) => {
    const { x, y } = position(event);
    const from = before.current ?? x;
    const next = [...latest.current];
    // A fast pointer skips seconds; they get the same height.
    for (let i = Math.min(from, x); i <= Math.max(from, x); i++) next[i] = y;
    before.current = x;
    latest.current = next;
    setAt(x);
    onChange(next);
  };
  const set = (value: number) => {
    const next = [...values];
    next[at] = Math.min(MAX_HEIGHT, Math.max(0, value));
    onChange(next);
  };
  const keys = (event: KeyboardEvent) => {
    const value = values[at] ?? 0;
    const step = event.shiftKey ? 10 : 1;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => setAt(Math.max(0, at - 1)),
      ArrowRight: () => setAt(Math.min(DURATION_S - 1, at + 1)),
      Home: () => setAt(0),
      End: () => setAt(DURATION_S - 1),
      ArrowUp: () => set(value + step),
      ArrowDown: () => set(value - step),
      PageUp: () => set(value + 10),
      PageDown: () => set(value - 10),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };

  return (
    <div className="draw">
      <div className="row">
        <span id="draw-label">Requests in each second</span>
        <button type="button" className="link" onClick={() => onChange(values.map(() => 0))}>
          Clear
        </button>
      </div>
      <svg
        viewBox={`0 0 ${DURATION_S} ${MAX_HEIGHT}`}
        preserveAspectRatio="none"
        tabIndex={0}
        role="slider"
        aria-labelledby="draw-label"
        aria-valuemin={0}
        aria-valuemax={MAX_HEIGHT}
        aria-valuenow={values[at] ?? 0}
        aria-valuetext={`second ${at}: ${values[at] ?? 0} requests`}
        onKeyDown={keys}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          before.current = null;
          draw(event);
        }}
        onPointerMove={(event) => {
          if (event.buttons > 0) draw(event);
        }}
      >
        <rect className="here" x={at} y={0} width={1} height={MAX_HEIGHT} />
        {values.map((value, i) => (
          <rect key={i} x={i + 0.1} y={MAX_HEIGHT - value} width={0.8} height={value} />
        ))}
      </svg>
      <p className="quiet">
        Draw with a pointer, or with the arrow keys. Second {at}: {values[at] ?? 0}.
      </p>
    </div>
  );
}
