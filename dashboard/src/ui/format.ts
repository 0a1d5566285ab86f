// Formatting of numbers and times.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const one = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (n: number) => whole.format(n);

export const compact = (n: number) => (Math.abs(n) < 10_000 ? whole.format(n) : short.format(n));

/** Formats a rate per second. Small rates have a decimal. */
export function rate(n: number): string {
  if (n === 0) return '0';
  if (n < 0.05) return '<0.1';
  return n < 100 ? one.format(n) : compact(n);
}

export function percent(part: number, all: number): string {
  if (all <= 0 || part <= 0) return '0 %';
  const share = (100 * part) / all;
  if (share < 0.1) return '<0.1 %';
  return `${share < 10 ? one.format(share) : whole.format(share)} %`;
}

export function micros(us: number | null | undefined): string {
  if (us == null) return '–';
  if (us < 1000) return `${whole.format(us)} µs`;
  if (us < 1_000_000) return `${us < 10_000 ? one.format(us / 1000) : whole.format(us / 1000)} ms`;
  return `${one.format(us / 1_000_000)} s`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = Math.round(ms / 100) / 10;
  if (s < 60) return `${s} s`;
  if (s < 3600) return parts(s, 60, 'min', 's');
  if (s < 86_400) return parts(s / 60, 60, 'h', 'min');
  return parts(s / 3600, 24, 'd', 'h');
}

function parts(n: number, per: number, big: string, small: string): string {
  const all = Math.round(n);
  const whole = Math.floor(all / per);
  const rest = all - whole * per;
  return rest === 0 ? `${whole} ${big}` : `${whole} ${big} ${rest} ${small}`;
}

const two = (n: number) => String(n).padStart(2, '0');

export function clock(ms: number, seconds = false): string {
  const d = new Date(ms);
  return `${two(d.getHours())}:${two(d.getMinutes())}${seconds ? `:${two(d.getSeconds())}` : ''}`;
}

/** Formats a time of today as time only, any other with its date. */
export function moment(ms: number, now = Date.now()): string {
  const d = new Date(ms);
  if (d.toDateString() === new Date(now).toDateString()) return clock(ms, true);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${clock(ms)}`;
}

const zoneOf = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });

/** Formats a time with its time zone, such as `10:31:05 UTC`. */
export function zoned(ms: number, now = Date.now()): string {
  const zone = zoneOf.formatToParts(new Date(ms)).find((part) => part.type === 'timeZoneName')?.value;
  return `${moment(ms, now)} ${zone ?? ''}`.trimEnd();
}

export const plural = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

export const subjectText = (subject: Record<string, string>) =>
  Object.entries(subject)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
