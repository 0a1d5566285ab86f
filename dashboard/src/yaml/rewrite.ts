import { flow, itemLines, memberLines, toYaml, valueLines } from './print';
import { equal, isMap, parse, valueOf, type ContainerNode, type Entry, type Node, type Value, type ValueMap } from './tree';

interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * Changes a text so that it has the given value. Only the parts that differ are rewritten: comments, spacing and notation
 * of the rest stay. Throws Unreadable if the text can't be parsed.
 */
export function rewrite(text: string, value: ValueMap): string {
  const root = parse(text);
  if (equal(valueOf(root), value)) return text;
  if (isJson(text)) return JSON.stringify(value, null, text.trim().includes('\n') ? 2 : undefined) + '\n';
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  if (root.kind !== 'map' || !root.entries.some(({ name }) => Object.hasOwn(value, name))) return toYaml(value);
  // From the end, so that offsets stay valid. The sort is stable: edits at one offset are in the order of the text.
  const edits = mapEdits(whole, root, value, '').sort((a, b) => a.start - b.start);
  return edits.reduceRight((written, edit) => written.slice(0, edit.start) + edit.text + written.slice(edit.end), whole);
}

function isJson(text: string): boolean {
  try {
    return text.trimStart().startsWith('{') && JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

/** What becomes of the entries of a container: a value for each that stays, and entries to add behind one of them. */
interface Plan {
  kept: (Value | undefined)[];
  /** To add behind the entry of that index, which stays; -1 is the beginning. */
  added: { after: number; name: string; value: Value }[];
}

function mapEdits(text: string, node: ContainerNode, value: ValueMap, indent: string): Edit[] {
  const kept = node.entries.map(({ name }) => (Object.hasOwn(value, name) ? value[name] : undefined));
  const added: Plan['added'] = [];
  let after = -1;
  for (const [name, member] of Object.entries(value)) {
    const at = node.entries.findIndex((entry) => entry.name === name);
    if (at >= 0) after = at;
    else added.push({ after, name, value: member });
  }
  return containerEdits(text, node, { kept, added }, indent);
}

function listEdits(text: string, node: ContainerNode, value: Value[], indent: string): Edit[] {
  const old = node.entries.map((entry) => valueOf(entry.node));
  let head = 0;
  while (head < Math.min(old.length, value.length) && equal(old[head]!, value[head]!)) head++;
  let tail = 0;
  while (tail < Math.min(old.length, value.length) - head && equal(old.at(-1 - tail)!, value.at(-1 - tail)!)) tail++;
  const both = Math.min(old.length, value.length) - tail;
  const kept = old.map((item, i): Value | undefined => {
    if (i < head || i >= old.length - tail) return item;
    return i < both ? value[i] : undefined;
  });
  const added = value.slice(both, value.length - tail).map((item) => ({ after: both - 1, name: '', value: item }));
  return containerEdits(text, node, { kept, added }, indent);
}

function containerEdits(text: string, node: ContainerNode, plan: Plan, indent: string): Edit[] {
  const own = node.style === 'block' ? ' '.repeat(node.column) : indent;
  const edits: Edit[] = [];
  const add = (after: number) => {
    const entries = plan.added.filter((entry) => entry.after === after);
    if (entries.length > 0) edits.push(insertion(text, node, plan, after, entries, own));
  };
  add(-1);
  node.entries.forEach((entry, i) => {
    const value = plan.kept[i];
    if (value === undefined) edits.push(...removal(text, node, plan, i));
    else edits.push(...valueEdits(text, node, entry, value, own));
    add(i);
  });
  return edits;
}

/** Changes the value of an entry that stays. */
function valueEdits(text: string, owner: ContainerNode, entry: Entry, value: Value, indent: string): Edit[] {
  const { node } = entry;
  if (equal(valueOf(node), value)) return [];
  if (node.kind === 'map' && isMap(value) && node.entries.some(({ name }) => Object.hasOwn(value, name))) {
    return mapEdits(text, node, value, indent);
  }
  if (node.kind === 'list' && Array.isArray(value) && node.entries.length > 0 && value.length > 0) {
    return listEdits(text, node, value, indent);
  }
  return [replacement(owner, entry, value, indent)];
}

function replacement(owner: ContainerNode, { node, open }: Entry, value: Value, indent: string): Edit {
  if (owner.style === 'flow') {
    const space = node.start === open && owner.kind === 'map' ? ' ' : '';
    return { start: node.start, end: node.end, text: `${space}${flow(value)}` };
  }
  const lines = owner.kind === 'map' ? valueLines(value, indent) : itemLines(value, indent).slice(1);
  // The end of the line stays, with a comment if there is one.
  return { start: open, end: Math.max(open, node.end), text: lines.trimEnd() };
}

const keptBefore = (plan: Plan, i: number) => plan.kept.findLastIndex((value, at) => at < i && value !== undefined);
const keptAfter = (plan: Plan, i: number) => plan.kept.findIndex((value, at) => at > i && value !== undefined);

const lineStart = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1;
const nextLine = (text: string, at: number) => text.indexOf('\n', at) + 1;

/** Removes an entry. Where entries share a line, the first of a run of removed entries removes all of the run. */
function removal(text: string, node: ContainerNode, plan: Plan, i: number): Edit[] {
  const entry = node.entries[i]!;
  const run = keptBefore(plan, i) + 1;
  if (node.style === 'block' && ownsLine(text, node.entries[run]!)) {
    return [{ start: lineStart(text, entry.start), end: nextLine(text, entry.end), text: '' }];
  }
  if (run !== i) return [];
  const next = keptAfter(plan, i);
  if (next >= 0) return [{ start: entry.start, end: node.entries[next]!.start, text: '' }];
  return [{ start: node.entries[i - 1]!.end, end: node.entries.at(-1)!.end, text: '' }];
}

const ownsLine = (text: string, entry: Entry) => text.slice(lineStart(text, entry.start), entry.start).trim() === '';

function insertion(text: string, node: ContainerNode, plan: Plan, after: number, entries: Plan['added'], indent: string): Edit {
  const lines = entries.map(({ name, value }) => (node.kind === 'map' ? memberLines(name, value, indent) : itemLines(value, indent)));
  const inline = entries.map(({ name, value }) => (node.kind === 'map' ? memberLine(name, value) : flow(value)));
  if (after >= 0) {
    const { end } = node.entries[after]!;
    if (node.style === 'flow') return { start: end, end, text: inline.map((entry) => `, ${entry}`).join('') };
    const at = nextLine(text, end);
    return { start: at, end: at, text: lines.map((entry) => `${indent}${entry}`).join('') };
  }
  const { start } = node.entries[keptAfter(plan, -1)]!;
  if (node.style === 'flow') return { start, end: start, text: inline.map((entry) => `${entry}, `).join('') };
  return { start, end: start, text: lines.map((entry) => `${entry}${indent}`).join('') };
}

function memberLine(name: string, value: Value): string {
  const whole = flow({ [name]: value });
  return whole.slice(2, -2);
}

/** Returns the rule in a text, or null unless it is a map. Throws Unreadable. */
export function ruleIn(text: string): ValueMap | null {
  const root: Node = parse(text);
  const value = valueOf(root);
  return isMap(value) ? value : null;
}
