import { explain, listAllRules } from '../../api/calls';
import type { Subject } from '../../api/types';

/** Returns the ids of the enforced rules that excuse a caller from all others, a block included. */
export async function exemptionsOf(caller: Subject, signal?: AbortSignal): Promise<string[]> {
  const { rules } = await listAllRules('', signal);
  const exempt = new Set(rules.filter((rule) => rule.exempt === true && (rule.mode ?? 'enforce') === 'enforce').map(({ id }) => id));
  // A range of addresses is not a caller that rules can be explained for.
  if (exempt.size === 0 || (caller['ip'] ?? '').includes('/')) return [];
  const explanation = await explain(caller, signal);
  return explanation.rules.map(({ id }) => id).filter((id) => exempt.has(id));
}
