import { useState } from 'react';
import { deleteRule, listRules } from '../../api/calls';
import type { Subject } from '../../api/types';
import { useAccount } from '../../app/account';
import { href } from '../../app/route';
import { useLive } from '../../live/live';
import { Notice, ProblemNotice } from '../../ui/Notice';
import { moment } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { ChangeDialog } from '../rules/ChangeDialog';
import { BlockDialog } from './BlockDialog';
import { blockOf, blocksAmong, isOver, PREFIX } from './blocks';

const MAX_BLOCKS = 1000;

/** Shows whether a caller is blocked, and blocks or unblocks it. */
export function CallerActions({ caller }: { caller: Subject }) {
  const { mayChange } = useAccount();
  const { rulesChanged } = useLive();
  const [round, setRound] = useState(0);
  const { data, problem, again } = useAsk(`blocks ${rulesChanged} ${round}`, async (signal) => blocksAmong((await listRules({ search: PREFIX, limit: MAX_BLOCKS }, signal)).rules));
  const [open, setOpen] = useState<'block' | 'unblock' | null>(null);
  const now = Date.now();
  const block = data ? blockOf(data, caller, now) : undefined;
  const blocked = block !== undefined && !isOver(block, now);
  const done = () => {
    setOpen(null);
    setRound((n) => n + 1);
  };
  return (
    <>
      {problem && <ProblemNotice problem={problem} again={again} />}
      {block && (
        <Notice tone={blocked ? 'warning' : 'info'} title={blocked ? `Blocked${block.until === null ? '' : ` until ${moment(block.until)}`}` : 'It was blocked; the block is over'}>
          <p>
            {block.reason || 'No reason given'} · <a href={href(['rules', block.id])}>{block.id}</a>
          </p>
          {mayChange && (
            <button type="button" onClick={() => setOpen('unblock')}>
              {blocked ? 'Unblock…' : 'Remove the block…'}
            </button>
          )}
        </Notice>
      )}
      {mayChange && data && !blocked && (
        <div className="row">
          <button type="button" className="danger" onClick={() => setOpen('block')}>
            Block…
          </button>
        </div>
      )}
      {open === 'block' && <BlockDialog caller={caller} former={block} onClose={() => setOpen(null)} onDone={done} />}
      {open === 'unblock' && block && (
        <ChangeDialog title="Unblock this caller?" verb="Unblock" call={(how) => deleteRule(block.id, how)} onClose={() => setOpen(null)} onDone={done} />
      )}
    </>
  );
}
