import type { ChangeTally, SampledChange } from '../sinks/tally/change-tally.ts';
import type { ChangesInsight, ShownChange } from './data/changes-data.ts';

/** A screen full; the files have all of them. */
const mostFields = 12;

/** What the page says of the changes since an earlier run. */
export function gatherChanges(
  { counts, fields, samples }: ChangeTally,
  { since, file }: { readonly since: string; readonly file: string },
): ChangesInsight {
  const most = fields.toSorted((one, other) => other.count - one.count);
  const shown = (op: SampledChange['op']) =>
    samples.filter((sample) => sample.op === op).map(toShown);
  return {
    since,
    file,
    counts,
    fields: most.slice(0, mostFields).map(({ column, count, examples }) => ({
      ...{ column, count },
      examples: examples.map(({ name, before, after }) => ({ name, before, after })),
    })),
    otherFields: Math.max(0, most.length - mostFields),
    shown: {
      row_added: shown('row_added'),
      row_removed: shown('row_removed'),
      company_lost: shown('company_lost'),
      company_replaced: shown('company_replaced'),
      company_found: shown('company_found'),
      person_joined: shown('person_joined'),
      person_left: shown('person_left'),
    },
  };
}

function toShown({ rowKey, name, nameBefore, reason, person }: SampledChange): ShownChange {
  return {
    rowKey,
    name,
    ...(nameBefore !== undefined && { nameBefore }),
    ...(reason !== undefined && { reason }),
    ...(person !== undefined && { person }),
  };
}
