import { deleteRule } from '../../api/calls';
import { go, href } from '../../app/route';
import { ChangeDialog } from './ChangeDialog';
import { dropDraft } from './kept';

export function DeleteRule({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <ChangeDialog
      title={`Delete ${id}?`}
      verb="Delete rule"
      danger
      call={(how) => deleteRule(id, how)}
      onClose={onClose}
      onDone={() => {
        dropDraft(id);
        go(href(['rules']));
      }}
    />
  );
}
