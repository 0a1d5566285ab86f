// A question has to fit into what the service takes as one.

/** The longest body that the service takes. */
export const MOST_BYTES = 8 * 1024 * 1024;

/** For what is beside the log: nobody should have to count to the last byte. */
const SPARE = 64 * 1024;

const encoder = new TextEncoder();

/** As it is sent, where a quote takes two bytes, and a control character six. */
export const jsonBytes = (value: unknown) => encoder.encode(JSON.stringify(value)).length;

/** The end of a text, from a whole line on, that takes at most so many bytes as JSON. */
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

/** The traffic to replay: that of late, or the text of a log. */
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

/** The question with as much of the end of its log as fits. */
export function fitting(question: Question): Question {
  const { source } = question;
  if (source.text === undefined) return question;
  const rest = jsonBytes({ ...question, source: { ...source, text: '' } });
  return { ...question, source: { ...source, text: lastLines(source.text, MOST_BYTES - SPARE - rest) } };
}
