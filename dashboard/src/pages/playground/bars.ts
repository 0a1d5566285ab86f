export interface Bar {
  name: string;
  values: number[];
}

const GAP = 0.12;

/** Stacks the layers, each as one path of bars, in SVG coordinates. */
export function bars(layers: Bar[], tallest: number): { name: string; path: string }[] {
  const heights: number[] = [];
  return layers.map(({ name, values }) => {
    let path = '';
    values.forEach((value, i) => {
      const base = heights[i] ?? 0;
      heights[i] = base + value;
      if (value <= 0) return;
      path += `M${i + GAP} ${tallest - base}V${tallest - base - value}H${i + 1 - GAP}V${tallest - base}Z`;
    });
    return { name, path };
  });
}
