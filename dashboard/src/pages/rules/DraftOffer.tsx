import { Notice } from '../../ui/Notice';
import { moment } from '../../ui/format';
import type { Draft } from './kept';

interface Props {
  draft: Draft;
  onTake: () => void;
  onDrop: () => void;
}

/** Offers to restore an unsaved draft. */
export function DraftOffer({ draft, onTake, onDrop }: Props) {
  return (
    <Notice tone="warning" title={`You have unsaved changes from ${moment(draft.at)}`}>
      <div className="row">
        <button type="button" className="primary" onClick={onTake}>
          Restore them
        </button>
        <button type="button" onClick={onDrop}>
          Discard them
        </button>
      </div>
    </Notice>
  );
}
