import type { ChangesInsight } from '../../../report/data/changes-data.ts';
import { Breakable } from '../text/breakable.tsx';
import { counted } from '../text/format.ts';

/** The columns that changed most, of companies and people that stayed, with before and after. */
export function FieldChanges({ changes }: { readonly changes: ChangesInsight }) {
  const { fields, otherFields, file } = changes;
  if (fields.length === 0) return null;
  return (
    <div class="card field-changes">
      <h3>
        Fields that changed most <small>where the company or person stayed</small>
      </h3>
      <ol>
        {fields.map(({ column, count: times, examples }) => (
          <li key={column}>
            <p>
              <code>
                <Breakable text={column} />
              </code>
              <small>{counted(times, 'change', 'changes')}</small>
            </p>
            <ul>
              {examples.map(({ name, before, after }, index) => (
                <li key={`${index} ${name}`}>
                  <small>
                    <Breakable text={name} />
                  </small>{' '}
                  <Value text={before} isOld /> → <Value text={after} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {otherFields > 0 && (
        <p class="note">
          {counted(otherFields, 'more field', 'more fields')} in {file}
        </p>
      )}
    </div>
  );
}

function Value({ text, isOld = false }: { readonly text: string; readonly isOld?: boolean }) {
  if (text === '') return <span class="none">nothing</span>;
  const shown = <Breakable text={text} />;
  return isOld ? <s>{shown}</s> : <b>{shown}</b>;
}
