import type { ShownChange } from '../../../report/data/changes-data.ts';
import { Breakable } from '../text/breakable.tsx';
import { count, counted } from '../text/format.ts';
import { reasonName } from '../text/labels.ts';
import { usePrint } from '../use-print.ts';

/** As many as can be read at a glance; the next ones are folded away. */
const shownAtOnce = 6;

interface ChangeListProps {
  readonly title: string;
  readonly total: number;
  readonly shown: readonly ShownChange[];
}

/** The first changes of one kind; nothing where there are none. */
export function ChangeList({ title, total, shown }: ChangeListProps) {
  const isPrinting = usePrint();
  if (total === 0) return null;
  const rest = shown.slice(shownAtOnce);
  const more = total - shown.length;
  return (
    <div class="card">
      <h3>
        {title} <small>{count(total)}</small>
      </h3>
      <Entries entries={shown.slice(0, shownAtOnce)} />
      {rest.length > 0 && (
        <details class="more" open={isPrinting}>
          <summary>{count(rest.length)} more</summary>
          <Entries entries={rest} />
        </details>
      )}
      {more > 0 && (
        <p class="note">and {counted(more, 'other', 'others')} in the file of the changes</p>
      )}
    </div>
  );
}

function Entries({ entries }: { readonly entries: readonly ShownChange[] }) {
  return (
    <ul class="entries">
      {entries.map((entry, index) => (
        // A row may stand here twice, for two of its people.
        <li key={`${index} ${entry.rowKey}`}>
          <Entry {...entry} />
        </li>
      ))}
    </ul>
  );
}

function Entry({ rowKey, name, nameBefore, reason, person }: ShownChange) {
  const title = person ?? name;
  const facts = [
    person === undefined ? '' : name,
    reason === undefined ? '' : reasonName(reason),
    `row ${rowKey}`,
  ];
  return (
    <>
      {nameBefore !== undefined && (
        <>
          <s>
            <Breakable text={nameBefore} />
          </s>{' '}
          →{' '}
        </>
      )}
      <b>
        <Breakable text={title} />
      </b>
      <small>
        <Breakable text={facts.filter(Boolean).join(', ')} />
      </small>
    </>
  );
}
