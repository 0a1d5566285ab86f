// Rates and limits in words, and the parts that the form edits separately.

import { isMap, type Value } from '../../../yaml/tree';

export interface Unit {
  symbol: string;
  /** In the singular. */
  name: string;
}

export const UNITS: readonly Unit[] = [
  { symbol: 'us', name: 'microsecond' },
  { symbol: 'ms', name: 'millisecond' },
  { symbol: 's', name: 'second' },
  { symbol: 'm', name: 'minute' },
  { symbol: 'h', name: 'hour' },
  { symbol: 'd', name: 'day' },
  { symbol: 'w', name: 'week' },
  { symbol: 'mo', name: 'month' },
  { symbol: 'y', name: 'year' },
];

const SHORT: Record<string, string> = { sec: 's', min: 'm' };

function unitOf(text: string): Unit | undefined {
  const symbol = SHORT[text] ?? text;
  return UNITS.find((unit) => unit.symbol === symbol || unit.name === text || `${unit.name}s` === text);
}

/** A rate in its parts. The count is as it was written, such as 10k, and empty while it is being typed. */
export interface Rate {
  count: string;
  amount: number;
  unit: string;
}

const RATE = /^([\d.,_]*[A-Za-z]*)\s*(?:\/|\bper\b)\s*(\d{0,6})\s*([a-z]+)$/;

/** Returns the parts of a rate, or null unless it is one. */
export function rateOf(value: Value | undefined): Rate | null {
  const [, count, amount, name] = RATE.exec(typeof value === 'string' ? value.trim() : '') ?? [];
  const unit = unitOf(name ?? '');
  if (count === undefined || unit === undefined) return null;
  return { count: count.trim(), amount: amount ? Number(amount) : 1, unit: unit.symbol };
}

export const rateText = ({ count, amount, unit }: Rate) => `${count}/${amount}${unit}`;

const FACTORS: Record<string, number> = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

/** Returns the number that a count such as 200, 1_000 or 10k stands for, or null. */
export function countOf(value: Value | undefined): number | null {
  if (typeof value === 'number') return value;
  const [, digits, unit] = /^(\d[\d_,]*)([A-Za-z]{0,3})$/.exec(typeof value === 'string' ? value.trim() : '') ?? [];
  const factor = FACTORS[(unit ?? '').replace(/B$/, '')];
  return digits === undefined || factor === undefined ? null : Number(digits.replace(/[_,]/g, '')) * factor;
}

/** Writes digits as a number, anything else as a text. */
export function countValue(text: string): Value | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return /^(?:0|[1-9]\d{0,14})$/.test(trimmed) ? Number(trimmed) : trimmed;
}

const whole = new Intl.NumberFormat('en');

function countWords(value: Value | undefined): string {
  const count = countOf(value);
  return count === null ? String(value ?? '?') : whole.format(count);
}

function periodWords({ amount, unit }: Pick<Rate, 'amount' | 'unit'>): string {
  const { name } = UNITS.find(({ symbol }) => symbol === unit)!;
  return amount === 1 ? name : `${amount} ${name}s`;
}

/** Returns a duration such as 30s in words. */
export function durationWords(value: Value | undefined): string {
  const [, amount, name] = /^(\d+)\s*([a-z]+)$/.exec(typeof value === 'string' ? value.trim() : '') ?? [];
  const unit = unitOf(name ?? '');
  if (amount === undefined || unit === undefined) return String(value ?? '?');
  return `${whole.format(Number(amount))} ${unit.name}${amount === '1' ? '' : 's'}`;
}

/** Returns a limit in words: "100 per minute, up to 200 at once". */
export function limitWords(limit: Value | undefined): string {
  if (limit === 'deny') return 'nothing: every request is refused';
  if (limit === 'unlimited') return 'without a limit';
  if (!isMap(limit)) return '';
  const rate = rateOf(limit['rate']);
  const cost = limit['cost'] === undefined ? '' : ` ${String(limit['cost'])}`;
  const count = `${rate ? countWords(rate.count || '?') : '?'}${cost}`;
  const period = rate ? periodWords(rate) : '?';
  switch (limit['algorithm']) {
    case 'token-bucket':
      return `${count} per ${period}, up to ${countWords(limit['burst'] ?? rate?.count)} at once`;
    case 'leaky-bucket':
      return `${count} per ${period}, evenly spaced${queueWords(limit)}`;
    case 'fixed-window': {
      const each = limit['align'] === 'calendar' ? `calendar ${period} in ${String(limit['zone'] ?? 'UTC')}` : period;
      return `${count} in each ${each}`;
    }
    case 'sliding-window':
      return `${count} in any ${period}, ${limit['bound'] === 'conservative' ? 'never more' : 'approximately'}`;
    case 'rolling-window': {
      const apart = limit['min-interval'] === undefined ? '' : `, at least ${durationWords(limit['min-interval'])} apart`;
      return `${count} in any ${period}, exactly${apart}`;
    }
    case 'concurrency':
      return `${countWords(limit['max'])} at the same time, each for up to ${durationWords(limit['lease'] ?? '30s')} without a renewal`;
    case 'adaptive-concurrency':
      return `${countWords(limit['min'] ?? 1)} to ${countWords(limit['max'])} at the same time, as many as the backend can handle`;
    default:
      return '';
  }
}

function queueWords(limit: Record<string, Value>): string {
  if (limit['queue'] !== undefined) return `, up to ${countWords(limit['queue'])} waiting`;
  if (limit['max-wait'] !== undefined) return `, waiting for up to ${durationWords(limit['max-wait'])}`;
  return ', the rest is refused';
}

const STEPS = [1, 2, 3, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 250, 300, 400, 500, 600, 750, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 7500, 10_000, 15_000, 20_000, 25_000, 50_000, 75_000, 100_000, 200_000, 500_000, 1_000_000];

export const SLIDER_MAX = STEPS.length - 1;

/** Returns the count at a position of a slider. */
export const countAt = (position: number) => STEPS[Math.max(0, Math.min(SLIDER_MAX, Math.round(position)))]!;

/** Returns the position of the largest step that is not above a count. */
export const positionOf = (count: number) => Math.max(0, STEPS.findLastIndex((step) => step <= count));
