import { idIn } from '../../yaml/print';
import { rewrite, ruleIn } from '../../yaml/rewrite';
import { Unreadable, type ValueMap } from '../../yaml/tree';

const TEMPLATE_ID = 'my-rule';

/** What a new rule begins with. In shadow mode it reports what it would deny, and denies nothing. */
export const TEMPLATE = `id: ${TEMPLATE_ID}
description: what it protects, and who maintains it
match: { key: "user:*" }
limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
mode: shadow # reports only, denies nothing
`;

/** Returns whether a new rule is still the template: its id is. */
export const isTemplate = (text: string) => idIn(text) === TEMPLATE_ID;

/** Returns a text with some fields of its rule changed, or as it is if it can't be read. */
export function changed(text: string, change: (rule: ValueMap) => ValueMap): string {
  try {
    const rule = ruleIn(text);
    return rule === null ? text : rewrite(text, change(rule));
  } catch (cause) {
    if (cause instanceof Unreadable) return text;
    throw cause;
  }
}
