import { ALGORITHMS, ATTRIBUTES, CONDITION, fieldOf, RULE, type Field } from './schema';
import { tokensOf, type Token } from './tokens';

export interface Option {
  text: string;
  about: string;
}

export interface Completion {
  /** The part of the text that an option replaces. */
  from: number;
  to: number;
  /** What is written so far. */
  word: string;
  options: Option[];
  /** Behind an accepted option. */
  suffix: string;
}

/** Where the caret is: behind a name and its colon, or where a name can be written. */
export interface Place {
  /** The names of the enclosing members, outermost first. */
  path: string[];
  slot: 'name' | 'value';
  /** The other members of the map, as far as they precede the caret. */
  siblings: Map<string, string>;
}

/** A map or list that the caret is in. */
interface Frame {
  kind: 'block' | 'map' | 'list';
  /** The column of a block's names. */
  column: number;
  /** The name whose value is being written. */
  name: string | null;
  siblings: Map<string, string>;
}

const frame = (kind: Frame['kind'], column: number): Frame => ({ kind, column, name: null, siblings: new Map() });

/** Returns the place at the end of a text. */
export function placeAt(before: string): Place {
  const lines = tokensOf(before);
  const stack: Frame[] = [];
  const top = () => stack.at(-1);
  const inFlow = () => top() !== undefined && top()!.kind !== 'block';
  lines.forEach((tokens, i) => {
    const lineStart = tokens[0]?.at ?? before.length;
    const words = tokens.filter(({ kind }) => kind !== 'space' && kind !== 'comment');
    const last = i === lines.length - 1;
    // The column of the first word that is not a dash: that of a name, if it is one.
    const [first] = words.filter(({ kind, text }) => !(kind === 'mark' && text === '-'));
    if (!inFlow()) {
      const column = (first?.at ?? (last ? before.length : -1)) - lineStart;
      const dash = words[0]?.text === '-' && words[0].kind === 'mark' ? words[0].at - lineStart : null;
      if (column >= 0 || dash !== null) {
        while (top() && (top()!.column > column || (dash !== null && top()!.column > dash))) stack.pop();
        if (top()?.column === column && dash === null) top()!.name = null;
        else if (first?.kind === 'name' || last) stack.push(frame('block', column));
      }
    }
    words.forEach((token) => follow(stack, token));
  });
  const path = stack.map(({ name }) => name).filter((name) => name !== null);
  const { kind, name, siblings } = top() ?? frame('block', 0);
  return { path, slot: name !== null || kind === 'list' ? 'value' : 'name', siblings };
}

function follow(stack: Frame[], { kind, text }: Token) {
  const top = stack.at(-1);
  if (kind === 'name' && top) {
    top.name = unquoted(text);
    top.siblings.set(top.name, '');
  } else if (kind === 'mark' && (text === '{' || text === '[')) {
    stack.push(frame(text === '{' ? 'map' : 'list', 0));
  } else if (kind === 'mark' && (text === '}' || text === ']')) {
    if (top && top.kind !== 'block') stack.pop();
  } else if (kind === 'mark' && text === ',') {
    if (top && top.kind === 'map') top.name = null;
  } else if (kind !== 'mark' && top?.name) {
    top.siblings.set(top.name, unquoted(text));
  }
}

const unquoted = (text: string) => text.replace(/^["']|["']$/g, '');

/** Returns what can be written at the caret, or null if nothing is known. */
export function completionAt(text: string, caret: number): Completion | null {
  const word = /[\w-]*$/.exec(text.slice(0, caret))![0];
  const from = caret - word.length;
  if (tokensOf(text.slice(0, caret)).at(-1)?.at(-1)?.kind === 'comment') return null;
  const rest = /^[\w-]*/.exec(text.slice(caret))![0];
  const place = placeAt(text.slice(0, from));
  const options = (place.slot === 'name' ? names(place) : values(place)).filter((option) => option.text.startsWith(word) && option.text !== word);
  if (options.length === 0 || isBesideText(text, from)) return null;
  const hasColon = /^\s*:/.test(text.slice(caret + rest.length));
  return { from, to: caret + rest.length, word, options, suffix: place.slot === 'name' && !hasColon ? ': ' : '' };
}

/** Whether the word continues a text that is not a name or a keyword, such as `user:4`. */
function isBesideText(text: string, from: number): boolean {
  const before = text[from - 1];
  return before !== undefined && !/[\s{[,]/.test(before);
}

function fieldsAt(path: string[]): readonly Field[] {
  let fields = RULE;
  for (const name of path[0] === 'rules' ? path.slice(1) : path) {
    if (name === 'match') return fieldsOfMatch(path);
    fields = fieldOf(fields, name)?.fields ?? [];
  }
  return fields;
}

/** Inside a match are attributes, and inside an attribute its condition. */
const fieldsOfMatch = (path: string[]): readonly Field[] =>
  path.at(-1) === 'match' ? ATTRIBUTES.map((name) => ({ name, about: 'an attribute' })) : path.at(-2) === 'match' ? CONDITION : [];

function names({ path, siblings }: Place): Option[] {
  const algorithm = ALGORITHMS.find(({ name }) => name === siblings.get('algorithm'));
  const foreign = new Set(ALGORITHMS.flatMap(({ fields }) => fields).filter((name) => algorithm && !algorithm.fields.includes(name)));
  return fieldsAt(path)
    .filter(({ name }) => !siblings.has(name) && !foreign.has(name))
    .map(({ name, about }) => ({ text: name, about }));
}

function values({ path }: Place): Option[] {
  const name = path.at(-1) ?? '';
  if (name === 'per') return ATTRIBUTES.map((text) => ({ text, about: 'an attribute' }));
  const field = fieldOf(fieldsAt(path.slice(0, -1)), name);
  return (field?.values ?? []).map((text) => ({ text, about: ALGORITHMS.find((one) => one.name === text)?.about ?? '' }));
}
