import { count, counted } from '../../../parts/text/format.ts';
import type { ChangeChoice } from '../use-choice.ts';
import type { AskAgain } from './use-ask-again.ts';

interface AskedNoteProps {
  readonly askAgain: AskAgain;
  readonly change: ChangeChoice;
}

/** What came of the mended rows, and the way to them: some are no longer among those that are shown. */
export function AskedNote({ askAgain: { done, forget }, change }: AskedNoteProps) {
  const show = () => {
    change({ search: '', facets: { changed: ['yes'] }, row: null, at: null });
    forget();
  };
  return (
    <div role="status" class="asked-place">
      {done && (
        <p class="asked-note">
          <span>
            Asked again for {counted(done.rows, 'row', 'rows')}:{' '}
            <b>{done.matched > 0 ? `${count(done.matched)} matched now` : 'none matched'}</b>.
          </span>
          <button type="button" class="plain" onClick={show}>
            Show what changed
          </button>
          <button type="button" class="plain" onClick={forget}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
}
