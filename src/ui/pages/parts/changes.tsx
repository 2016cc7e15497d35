import { counted, formatNumber } from '../../../core/values/format.ts';
import type { ChangesInsight } from '../../report/report-data.ts';
import { reasonName } from '../../words/labels.ts';
import { Breakable, InlineCode, Section } from './text.tsx';

/** Changes that may need action come first. */
const kinds = [
  ['company_lost', 'Lost'],
  ['company_replaced', 'Replaced by another company'],
  ['service_changed', 'Found by another service'],
  ['company_found', 'Found'],
  ['company_changed', 'Changed'],
  ['person_joined', 'People joined'],
  ['person_left', 'People left'],
  ['person_changed', 'People changed'],
  ['row_added', 'Rows added'],
  ['row_removed', 'Rows removed'],
] as const;

export function Changes(changes: ChangesInsight) {
  const { since, counts, samples, file } = changes;
  const numberOf = (op: (typeof kinds)[number][0]) => counts[op] ?? 0;
  const found = kinds.filter(([op]) => numberOf(op) > 0);
  const total = found.reduce((sum, [op]) => sum + numberOf(op), 0);
  const apart = 'Values that change all the time, such as traffic and followers, are not counted.';
  if (total === 0) {
    return <Section id="changes" title={`No changes since ${since}`} lead={apart} />;
  }
  return (
    <Section
      id="changes"
      title={`${counted(total, 'change')} since ${since}`}
      lead={<InlineCode text={`${apart} All changes, with old and new values: ${file}`} />}
    >
      <div class="columns">
        {found.map(([op, title]) => (
          <ChangeList
            key={op}
            title={title}
            total={numberOf(op)}
            shown={samples.filter((sample) => sample.op === op)}
          />
        ))}
      </div>
      <FieldChanges {...changes} />
    </Section>
  );
}

/** Of a list without a key column. */
const hashedKey = /^[0-9a-f]{16}(?:#\d+)?$/;

function ChangeList(props: { title: string; total: number; shown: ChangesInsight['samples'] }) {
  const { title, total, shown } = props;
  if (shown.length === 0) return null;
  const more = total - shown.length;
  return (
    <div class="card">
      <h3>
        {title} <small>{formatNumber(total)}</small>
      </h3>
      <ul class="entries">
        {shown.map(({ rowNumber, rowKey, name, nameBefore, reason, person }, index) => {
          const title = (person ?? name) || (hashedKey.test(rowKey) ? '' : rowKey);
          const facts = [person && name, reason && reasonName(reason), title && `row ${rowNumber}`];
          return (
            // A row may be listed twice, for two of its people.
            <li key={`${index} ${rowNumber}`}>
              {nameBefore !== undefined && (
                <>
                  <Value text={nameBefore} isOld /> →{' '}
                </>
              )}
              <Value text={title || `Row ${rowNumber}`} />
              <small>
                <Breakable text={facts.filter(Boolean).join(', ')} />
              </small>
            </li>
          );
        })}
      </ul>
      {more > 0 && <p class="note">and {counted(more, 'other')} in the changes file</p>}
    </div>
  );
}

function FieldChanges({ fields, otherFields, file }: ChangesInsight) {
  if (fields.length === 0) return null;
  return (
    <div class="card field-changes">
      <h3>
        Fields that changed most <small>among companies and people in both runs</small>
      </h3>
      <ol class="entries">
        {fields.map(({ column, count: times, examples }) => (
          <li key={column}>
            <p>
              {column}
              <small>{counted(times, 'change')}</small>
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
          <InlineCode text={`${counted(otherFields, 'more field')}: ${file}`} />
        </p>
      )}
    </div>
  );
}

function Value({ text, isOld }: { text: string; isOld?: boolean }) {
  if (text === '') return <span class="muted">nothing</span>;
  const shown = <Breakable text={text} />;
  return isOld ? <s>{shown}</s> : <b>{shown}</b>;
}
