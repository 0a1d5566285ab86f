import { Notice } from '../../ui/Notice';
import { moment } from '../../ui/format';
import type { Kept } from './kept';

interface Props {
  draft: Kept;
  onTake: () => void;
  onDrop: () => void;
}

/** Nothing that was written is lost for having gone elsewhere; nor does it come back unasked. */
export function DraftOffer({ draft, onTake, onDrop }: Props) {
  return (
    <Notice tone="warning" title={`You had unsaved changes, of ${moment(draft.at)}`}>
      <div className="row">
        <button type="button" className="primary" onClick={onTake}>
          Take them up
        </button>
        <button type="button" onClick={onDrop}>
          Drop them
        </button>
      </div>
    </Notice>
  );
}
