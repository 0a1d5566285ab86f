// Trims a request to the maximum body size of the service.

/** Maximum body size the service accepts. */
export const MAX_BYTES = 8 * 1024 * 1024;

/** Reserve for the rest of the request. */
const SPARE = 64 * 1024;

const encoder = new TextEncoder();

/**
 * Returns the size as JSON in UTF-8, where a quote takes two bytes and a control character six.
 */
export const jsonBytes = (value: unknown) => encoder.encode(JSON.stringify(value)).length;

/** Returns the last complete lines of a text that take at most `room` bytes as JSON. */
export function lastLines(text: string, room: number): string {
  const quotes = 2;
  if (jsonBytes(text) <= room) return text;
  let start = text.length;
  let left = room - quotes;
  while (start > 0) {
    const from = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    left -= jsonBytes(text.slice(from, start)) - quotes;
    if (left < 0) break;
    start = from;
  }
  return text.slice(start);
}

/** The traffic to replay: recent traffic, or the text of a log. */
export interface Traffic {
  kind: 'recent' | 'log';
  text?: string;
  format?: string;
  key?: string;
}

export interface Question {
  rules: string;
  replace: string | null;
  source: Traffic;
}

/** Trims the log of a request to its last lines that fit. */
export function fitting(question: Question): Question {
  const { source } = question;
  if (source.text === undefined) return question;
  const rest = jsonBytes({ ...question, source: { ...source, text: '' } });
  return { ...question, source: { ...source, text: lastLines(source.text, MAX_BYTES - SPARE - rest) } };
}
