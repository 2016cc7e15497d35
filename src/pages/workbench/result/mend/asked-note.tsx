import { useEffect, useRef } from 'preact/hooks';
import { count, counted } from '../../../parts/text/format.ts';
import type { ChangeChoice } from '../use-choice.ts';
import type { AskAgain } from './use-ask-again.ts';

interface AskedNoteProps {
  readonly askAgain: AskAgain;
  readonly change: ChangeChoice;
  /** Mended cells that were not asked for yet: without any, the button that asks is gone. */
  readonly waiting: number;
  /** The note is gone, and the table takes the keyboard. */
  readonly onLeave: () => void;
}

/** What came of the mended rows, and the way to them: some are no longer among those that are shown. */
export function AskedNote({
  askAgain: { done, forget },
  change,
  waiting,
  onLeave,
}: AskedNoteProps) {
  const button = useRef<HTMLButtonElement>(null);
  // The keyboard of the button that has asked goes on here.
  useEffect(() => {
    if (done && document.activeElement === document.body) button.current?.focus();
  }, [done, waiting]);
  const leave = () => {
    forget();
    onLeave();
  };
  const show = () => {
    change({ search: '', facets: { changed: ['yes'] }, row: null, at: null });
    leave();
  };
  return (
    <div role="status" class="asked-place">
      {done && (
        <p class="asked-note">
          <span>
            Asked again for {counted(done.rows, 'row', 'rows')}:{' '}
            <b>{done.matched > 0 ? `${count(done.matched)} matched now` : 'none matched'}</b>.
          </span>
          <button ref={button} type="button" class="plain" onClick={show}>
            Show what changed
          </button>
          <button type="button" class="plain" onClick={leave}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
}
