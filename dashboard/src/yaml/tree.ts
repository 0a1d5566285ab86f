// Parses the YAML of one rule into a tree with positions, so that the form can read and change the text. The service's
// parser decides what is valid; this one reads the subset in which rules are written, JSON included, and rejects the rest.

export type Scalar = string | number | boolean | null;
export type Value = Scalar | Value[] | ValueMap;
export interface ValueMap {
  [name: string]: Value;
}

interface Span {
  start: number;
  /** The offset behind the last character. */
  end: number;
}

export interface ScalarNode extends Span {
  kind: 'scalar';
  value: Scalar;
}

/** A member of a map, or an item of a list. `start` is that of its name or of its dash. */
export interface Entry extends Span {
  /** Empty for the items of a list. */
  name: string;
  /** The offset behind the colon or the dash; of an item in a flow list, that of its value. */
  open: number;
  node: Node;
}

export interface ContainerNode extends Span {
  kind: 'map' | 'list';
  style: 'flow' | 'block';
  /** The column of the entries of a block. */
  column: number;
  entries: Entry[];
}

export type Node = ScalarNode | ContainerNode;

/** A text that this parser does not read. The service may still accept it. */
export class Unreadable extends Error {
  constructor(
    readonly line: number,
    readonly reason: string,
  ) {
    super(`Line ${line}: ${reason}`);
    this.name = 'Unreadable';
  }
}

export const isMap = (value: Value | undefined): value is ValueMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value of a node, without positions. */
export function valueOf(node: Node): Value {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.entries.map((entry) => valueOf(entry.node));
  return Object.fromEntries(node.entries.map((entry) => [entry.name, valueOf(entry.node)]));
}

/** Compares values; the order of a map's members does not matter. */
export function equal(a: Value, b: Value): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]!));
  if (!isMap(a) || !isMap(b)) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name]!, b[name]!));
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const NULL = new Set(['', '~', 'null', 'Null', 'NULL']);
const MAX_DEPTH = 32;

function plainValue(text: string): Scalar {
  if (NULL.has(text)) return null;
  if (text === 'true' || text === 'false') return text === 'true';
  // A number that would be written differently stays a text.
  if (NUMBER.test(text) && String(Number(text)) === text) return Number(text);
  return text;
}

/** Parses a text into its tree. Throws Unreadable. */
export function parse(text: string): Node {
  return new Parser(text).document();
}

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): Node {
    this.skipLines();
    if (this.ended()) throw this.fail('the text is empty');
    if (/^(?:---|%|\.\.\.)/.test(this.text.slice(this.at))) throw this.fail('a document marker');
    const node = this.block(-1, 0);
    this.skipLines();
    if (!this.ended()) throw this.fail('the indentation does not fit what is above');
    return node;
  }

  private fail(reason: string, at = this.at): Unreadable {
    return new Unreadable(this.text.slice(0, at).split('\n').length, reason);
  }

  private ended() {
    return this.at >= this.text.length;
  }

  private lineStart(at: number) {
    return this.text.lastIndexOf('\n', at - 1) + 1;
  }

  private column() {
    return this.at - this.lineStart(this.at);
  }

  /** Skips blanks in the line, and a comment. Returns whether the line ends here. */
  private skipBlanks(): boolean {
    const from = this.at;
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t' || this.text[this.at] === '\r') this.at++;
    const atComment = this.text[this.at] === '#' && (this.at > from || this.at === this.lineStart(this.at));
    if (atComment) while (!this.ended() && this.text[this.at] !== '\n') this.at++;
    return this.ended() || this.text[this.at] === '\n';
  }

  /** Skips to the first character of the next line with content. */
  private skipLines() {
    while (!this.ended()) {
      const indentation = /^ *\t/.exec(this.text.slice(this.at, this.at + 64));
      const before = this.at;
      if (!this.skipBlanks()) {
        if (indentation && before === this.lineStart(before)) throw this.fail('a tab in the indentation');
        return;
      }
      if (!this.ended()) this.at++;
    }
  }

  /** Parses the node at the current position, which is indented by more than `parent`. */
  private block(parent: number, depth: number): Node {
    if (depth > MAX_DEPTH) throw this.fail('nested too deeply');
    const column = this.column();
    if (this.isDash()) return this.blockList(column, depth);
    const start = this.at;
    const character = this.text[this.at];
    if (character === '{' || character === '[') {
      const node = this.flow(depth);
      this.endOfLine();
      return node;
    }
    const scalar = this.scalar(false);
    if (this.isColon(false)) {
      if (parent >= column) throw this.fail('the indentation does not fit what is above', start);
      this.at = start;
      return this.blockMap(column, depth);
    }
    this.endOfLine();
    return scalar;
  }

  private endOfLine() {
    const end = this.at;
    if (!this.skipBlanks()) throw this.fail('something follows the value', end);
  }

  private isDash() {
    return this.text[this.at] === '-' && /^-(?:[ \r\n]|$)/.test(this.text.slice(this.at, this.at + 2));
  }

  /** Skips blanks before a colon. Returns whether there is one; it stays unread. */
  private isColon(inFlow: boolean, quoted = false): boolean {
    let at = this.at;
    while (this.text[at] === ' ') at++;
    if (this.text[at] !== ':') return false;
    const next = this.text[at + 1];
    const separates = next === undefined || ' \t\r\n'.includes(next) || (inFlow && (quoted || ',[]{}'.includes(next)));
    if (separates) this.at = at;
    return separates;
  }

  private blockList(column: number, depth: number): ContainerNode {
    const node: ContainerNode = { kind: 'list', style: 'block', column, entries: [], start: this.at, end: this.at };
    while (!this.ended() && this.column() === column && this.isDash()) {
      const start = this.at++;
      const value = this.entryValue(column, false, depth);
      node.entries.push({ name: '', start, open: start + 1, node: value, end: Math.max(value.end, start + 1) });
      node.end = node.entries.at(-1)!.end;
      this.skipLines();
    }
    if (!this.ended() && this.column() > column) throw this.fail('the indentation does not fit what is above');
    return node;
  }

  private blockMap(column: number, depth: number): ContainerNode {
    const node: ContainerNode = { kind: 'map', style: 'block', column, entries: [], start: this.at, end: this.at };
    while (!this.ended() && this.column() === column && !this.isDash()) {
      const start = this.at;
      const name = this.name(node, false);
      const open = ++this.at;
      const value = this.entryValue(column, true, depth);
      node.entries.push({ name, start, open, node: value, end: Math.max(value.end, open) });
      node.end = node.entries.at(-1)!.end;
      this.skipLines();
    }
    if (!this.ended() && this.column() > column) throw this.fail('the indentation does not fit what is above');
    return node;
  }

  /** Parses a value behind a colon or a dash: in the same line, or below. */
  private entryValue(column: number, inMap: boolean, depth: number): Node {
    const open = this.at;
    if (!this.skipBlanks()) {
      if (inMap && this.isDash()) throw this.fail('a list begins in the line of its name');
      if (!inMap) return this.block(column, depth + 1);
      return this.inline(depth + 1);
    }
    this.skipLines();
    // A list may be indented as its name is.
    const below = !this.ended() && (this.column() > column || (inMap && this.column() === column && this.isDash()));
    if (below) return this.block(column, depth + 1);
    return { kind: 'scalar', value: null, start: open, end: open };
  }

  /** Parses a scalar or a flow value in the line of its name. */
  private inline(depth: number): Node {
    const character = this.text[this.at];
    const node = character === '{' || character === '[' ? this.flow(depth) : this.scalar(false);
    if (this.isColon(false)) throw this.fail('a colon inside a value; quote the value');
    this.endOfLine();
    return node;
  }

  private name(node: ContainerNode, inFlow: boolean): string {
    const start = this.at;
    const quoted = this.text[start] === '"' || this.text[start] === "'";
    const scalar = this.scalar(inFlow);
    if (!this.isColon(inFlow, quoted)) throw this.fail('a name without a colon', start);
    const name = scalar.value === null ? '' : String(scalar.value);
    if (node.entries.some((entry) => entry.name === name)) throw this.fail(`${name} is given twice`, start);
    if (name === '__proto__') throw this.fail('an unusual name', start);
    return name;
  }

  private flow(depth: number): Node {
    if (depth > MAX_DEPTH) throw this.fail('nested too deeply');
    const opening = this.text[this.at];
    if (opening !== '{' && opening !== '[') return this.scalar(true);
    const kind = opening === '{' ? 'map' : 'list';
    const closing = opening === '{' ? '}' : ']';
    const start = this.at++;
    const node: ContainerNode = { kind, style: 'flow', column: 0, entries: [], start, end: start };
    for (;;) {
      this.skipLines();
      if (this.ended()) throw this.fail(`${opening} is not closed`, start);
      if (this.text[this.at] === closing) break;
      node.entries.push(kind === 'map' ? this.flowMember(node, depth) : this.flowItem(depth));
      this.skipLines();
      if (this.text[this.at] === ',') this.at++;
      else if (this.text[this.at] !== closing) throw this.fail(`${closing} or a comma is missing`);
    }
    node.end = ++this.at;
    return node;
  }

  private flowMember(node: ContainerNode, depth: number): Entry {
    const start = this.at;
    const name = this.name(node, true);
    const open = ++this.at;
    this.skipLines();
    const empty = this.text[this.at] === ',' || this.text[this.at] === '}';
    const value: Node = empty ? { kind: 'scalar', value: null, start: open, end: open } : this.flow(depth + 1);
    return { name, start, open, node: value, end: Math.max(value.end, open) };
  }

  private flowItem(depth: number): Entry {
    const start = this.at;
    const value = this.flow(depth + 1);
    if (this.isColon(true)) throw this.fail('a name inside a list', start);
    return { name: '', start, open: start, node: value, end: value.end };
  }

  private scalar(inFlow: boolean): ScalarNode {
    const start = this.at;
    const first = this.text[start] ?? '';
    if (first === '"' || first === "'") return this.quoted(first);
    if (first === '' || '&*!|>%@`,[]{}#'.includes(first)) {
      const names: Record<string, string> = { '&': 'an anchor', '*': 'an alias (a pattern needs quotes)', '!': 'a tag', '|': 'a text block', '>': 'a text block' };
      throw this.fail(names[first] ?? `${first || 'the end'} where a value is expected`);
    }
    if (/^[-?:](?:\s|$)/.test(this.text.slice(start, start + 2))) throw this.fail(`${first} where a value is expected`);
    let end = start;
    while (!this.ended() && this.text[this.at] !== '\n') {
      const character = this.text[this.at]!;
      const before = this.text[this.at - 1];
      if (character === '#' && (before === ' ' || before === '\t')) break;
      if (inFlow && ',[]{}'.includes(character)) break;
      if (character === ':' && this.isColon(inFlow)) break;
      if (!' \t\r'.includes(character)) end = this.at + 1;
      this.at++;
    }
    this.at = end;
    return { kind: 'scalar', value: plainValue(this.text.slice(start, end)), start, end };
  }

  private quoted(quote: string): ScalarNode {
    const start = this.at;
    const pattern = quote === '"' ? /"(?:[^"\\\n]|\\.)*"/y : /'(?:[^'\n]|'')*'/y;
    pattern.lastIndex = start;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) throw this.fail('a quote that does not end in its line');
    this.at = start + found.length;
    return { kind: 'scalar', value: quote === '"' ? this.unescaped(found) : found.slice(1, -1).replaceAll("''", "'"), start, end: this.at };
  }

  /** YAML has more escapes than JSON; they are rare enough to be left to the service. */
  private unescaped(quoted: string): string {
    try {
      return JSON.parse(quoted.replaceAll('\t', '\\t')) as string;
    } catch {
      throw this.fail('an unusual escape in a quoted text', this.at - quoted.length);
    }
  }
}
