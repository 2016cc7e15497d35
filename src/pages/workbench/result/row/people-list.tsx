import type { FoundPeople } from '../../../../workbench/api/whole-row.ts';
import { count, counted } from '../../../parts/text/format.ts';
import { cellText } from '../table/cell-text.ts';

/** Cells that stand in the line of a person before it is unfolded. */
const inLine = 2;

/** The people of the company, the first hundred of them. */
export function PeopleList({ people: found }: { readonly people: FoundPeople }) {
  const { people, columns, total, isComplete, isStale } = found;
  return (
    <>
      {isStale && (
        <p class="stands-out">
          They are those of an earlier search: a newer one could not be made to its end.
        </p>
      )}
      {!isComplete && <p class="stands-out">There may be others that were not received.</p>}
      {people.length === 0 && <p class="empty">Nobody fits what the job searches for.</p>}
      {people.map((person, at) => {
        const cells = columns
          .map(({ label, type }, column) => ({
            label,
            text: cellText(person[column] ?? null, type),
          }))
          .filter(({ text }) => text !== '');
        return (
          <details key={`${at}`} class="person">
            <summary>
              {cells
                .slice(0, inLine)
                .map(({ text }) => text)
                .join(', ')}
            </summary>
            <dl class="fields">
              {cells.map(({ label, text }) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </details>
        );
      })}
      {total > people.length && (
        <p class="note">
          The first {count(people.length)} of {counted(total, 'person', 'people')}; the files have
          all.
        </p>
      )}
    </>
  );
}
