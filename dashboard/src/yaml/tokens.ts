// Splits YAML into tokens, for highlighting and completion. Any text is accepted, since it is being typed.

export type TokenKind = 'name' | 'quoted' | 'number' | 'plain' | 'mark' | 'comment' | 'space';

export interface Token {
  kind: TokenKind;
  text: string;
  /** Its offset in the whole text. */
  at: number;
}

const NUMBER = /^-?[\d.][\d._,]*[A-Za-z%]*(?:\/\d*[A-Za-z]+)?$/;
const WORDS = new Set(['true', 'false', 'null', '~']);
const QUOTED = { '"': /"(?:[^"\\]|\\.)*"?/y, "'": /'(?:[^']|'')*'?/y };

/** Returns the tokens of each line. Joined, they are the line. */
export function tokensOf(text: string): Token[][] {
  const depth = { flow: 0 };
  let at = 0;
  return text.split('\n').map((line) => {
    const tokens = lineTokens(line, at, depth);
    at += line.length + 1;
    return tokens;
  });
}

function lineTokens(line: string, offset: number, depth: { flow: number }): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const push = (kind: TokenKind, end: number) => {
    tokens.push({ kind, text: line.slice(at, end), at: offset + at });
    at = end;
  };
  while (at < line.length) {
    const character = line[at]!;
    if (/\s/.test(character)) push('space', endOf(line, at, /\s+/y));
    else if (character === '#' && (at === 0 || /\s/.test(line[at - 1]!))) push('comment', line.length);
    else if ('{['.includes(character) || (depth.flow > 0 && '}],'.includes(character))) {
      depth.flow += '{['.includes(character) ? 1 : character === ',' ? 0 : -1;
      push('mark', at + 1);
    } else if (isSeparator(line, at, depth.flow > 0) || (character === '-' && isDash(line, at))) push('mark', at + 1);
    else if (character === '"' || character === "'") {
      const to = endOf(line, at, QUOTED[character]);
      push(isName(line, to, depth.flow > 0, true) ? 'name' : 'quoted', to);
    } else {
      const to = plainEnd(line, at, depth.flow > 0);
      const plain = line.slice(at, to);
      const kind = NUMBER.test(plain) || WORDS.has(plain) ? 'number' : 'plain';
      push(isName(line, to, depth.flow > 0, false) ? 'name' : kind, to);
    }
  }
  return tokens;
}

function endOf(line: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return at + Math.max(1, pattern.exec(line)?.[0].length ?? 1);
}

/** A dash begins an item only before all else in a line. */
const isDash = (line: string, at: number) => /^[\s-]*$/.test(line.slice(0, at)) && /^-(?:\s|$)/.test(line.slice(at, at + 2));

function isSeparator(line: string, at: number, inFlow: boolean, quoted = false): boolean {
  if (line[at] !== ':') return false;
  const next = line[at + 1];
  return next === undefined || /\s/.test(next) || (inFlow && (quoted || ',[]{}'.includes(next)));
}

/** Whether a colon follows, possibly behind blanks. */
function isName(line: string, end: number, inFlow: boolean, quoted: boolean): boolean {
  let at = end;
  while (line[at] === ' ') at++;
  return isSeparator(line, at, inFlow, quoted);
}

function plainEnd(line: string, from: number, inFlow: boolean): number {
  let to = from + 1;
  let last = to;
  while (to < line.length) {
    const character = line[to]!;
    if (character === '#' && /\s/.test(line[to - 1]!)) break;
    if (inFlow && ',[]{}'.includes(character)) break;
    if (isSeparator(line, to, inFlow)) break;
    to++;
    if (!/\s/.test(character)) last = to;
  }
  return last;
}
