// Writes a rule as YAML in the style of rule files. The service does the parsing.

type Value = unknown;

const MAX_FLOW_LENGTH = 96;
const PLAIN = /^[A-Za-z_/.][\w ./@-]*$|^\d+(?:\.\d+)?[A-Za-z]*\/\d*[A-Za-z]+$|^\d+[A-Za-z]+$/;
const RESERVED = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n', '~']);

function scalar(value: Value): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const plain = PLAIN.test(value) && !RESERVED.has(value.toLowerCase()) && value === value.trim();
  return plain ? value : JSON.stringify(value);
}

const isMap = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function flow(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isMap(value)) return scalar(value);
  const members = Object.entries(value).map(([name, member]) => `${scalar(name)}: ${flow(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function block(value: Value, indent: string): string {
  if (Array.isArray(value)) {
    return value.map((item) => `${indent}- ${isMap(item) ? itemText(item, indent) : flow(item)}\n`).join('');
  }
  if (!isMap(value)) return `${indent}${scalar(value)}\n`;
  return Object.entries(value)
    .map(([name, member]) => `${indent}${memberText(name, member, indent)}`)
    .join('');
}

function itemText(item: Record<string, Value>, indent: string): string {
  const line = flow(item);
  if (line.length + indent.length <= MAX_FLOW_LENGTH) return line;
  return block(item, `${indent}  `).trim();
}

function memberText(name: string, member: Value, indent: string): string {
  const line = `${scalar(name)}: ${flow(member)}\n`;
  const listOfMaps = Array.isArray(member) && member.some(isMap);
  const simple = typeof member !== 'object' || member === null;
  if (simple || (!listOfMaps && line.length + indent.length <= MAX_FLOW_LENGTH)) return line;
  return `${scalar(name)}:\n${block(member, `${indent}  `)}`;
}

export const toYaml = (rule: Value) => block(rule, '');

/** Returns the id in the text of a rule, in YAML or JSON, or null. */
export function idIn(text: string): string | null {
  const found = /(?:^|[{,\n])\s*"?id"?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,#}]+))/.exec(text);
  return found ? (found[1] ?? found[2] ?? found[3] ?? null) : null;
}
