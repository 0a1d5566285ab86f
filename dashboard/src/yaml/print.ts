// Writes values as YAML in the style of rule files.

import { isMap, type Value, type ValueMap } from './tree';

const MAX_FLOW_LENGTH = 96;
const PLAIN = /^[A-Za-z_/.][\w ./@-]*$|^\d+(?:\.\d+)?[A-Za-z]*\/\d*[A-Za-z]+$|^\d+[A-Za-z]+$/;
const WORDS = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n', '~']);

function scalar(value: Value): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const plain = PLAIN.test(value) && !WORDS.has(value.toLowerCase()) && value === value.trim();
  return plain ? value : JSON.stringify(value);
}

/** Returns a value in one line. */
export function flow(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isMap(value)) return scalar(value);
  const members = Object.entries(value).map(([name, member]) => `${scalar(name)}: ${flow(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function block(value: Value, indent: string): string {
  if (Array.isArray(value)) return value.map((item) => `${indent}${itemLines(item, indent)}`).join('');
  if (!isMap(value)) return `${indent}${scalar(value)}\n`;
  return Object.entries(value)
    .map(([name, member]) => `${indent}${memberLines(name, member, indent)}`)
    .join('');
}

/** Returns an item of a list with its dash, in one line if it fits. The first line is not indented. */
export function itemLines(item: Value, indent: string): string {
  const line = flow(item);
  if (!isMap(item) || Object.keys(item).length === 0 || line.length + indent.length <= MAX_FLOW_LENGTH) return `- ${line}\n`;
  return `- ${block(item, `${indent}  `).trimStart()}`;
}

/** Returns a member of a map, in one line if it fits. The first line is not indented. */
export const memberLines = (name: string, member: Value, indent: string) => `${scalar(name)}:${valueLines(member, indent)}`;

/** Returns what follows the colon of a member: a value in the same line, or the lines below it. */
export function valueLines(value: Value, indent: string): string {
  const line = ` ${flow(value)}\n`;
  const listOfMaps = Array.isArray(value) && value.some(isMap);
  const simple = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  if (simple || (!listOfMaps && line.length + indent.length <= MAX_FLOW_LENGTH)) return line;
  return `\n${block(value, `${indent}  `)}`;
}

/** Returns a rule as the service sent it, as text. */
export const toYaml = (rule: object) => block(rule as ValueMap, '');

/** Returns the id in the text of a rule, in YAML or JSON, or null. */
export function idIn(text: string): string | null {
  const found = /(?:^|[{,\n])\s*"?id"?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,#}]+))/.exec(text);
  return found ? (found[1] ?? found[2] ?? found[3] ?? null) : null;
}
