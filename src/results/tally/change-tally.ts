import {
  addChange,
  type Change,
  type ChangeOp,
  everyChangeOp,
} from '../../core/columns/compare-records.ts';
import { IdSet } from '../../core/values/id-set.ts';
import { jsonText } from '../../core/values/json-text.ts';
import { noChanges } from '../compare-runs.ts';
import { clipText } from './row-sample.ts';

export type ChangeTally = ReturnType<ReturnType<typeof createChangeTally>['facts']>;
export type SampledChange = ReturnType<typeof sampleOf>;

/** The page is small, and a report stays small. */
const onPage = { samples: 25, fields: 8, text: 160 };
/** A terminal shows the news in full. */
export const inFull: typeof onPage = { samples: 10, fields: Infinity, text: Infinity };
const examplesKept = 3;

export function createChangeTally(most = onPage) {
  const counts = noChanges();
  const rows = new IdSet();
  const samples = new Map<ChangeOp, SampledChange[]>(everyChangeOp.map((op) => [op, []]));
  const fields = new Map<string, ReturnType<typeof noExamples>>();
  return {
    add(change: Change): void {
      const { op, rowNumber, columns } = change;
      addChange(counts, op);
      if (!/^person_|_removed$/.test(op)) rows.add(rowNumber ?? 0);
      const kept = samples.get(op) ?? [];
      if (kept.length < most.samples) kept.push(sampleOf(change, most));
      if (!isSameThing(op)) return;
      const name = nameOf(change, most);
      for (const column of columns) {
        const field = fields.get(column) ?? noExamples(column);
        fields.set(column, field);
        field.count += 1;
        if (field.examples.length < examplesKept) {
          field.examples.push({ name, ...fieldChange(change, column, most) });
        }
      }
    },
    facts: () => ({
      counts,
      rows,
      fields: [...fields.values()],
      samples: [...samples.values()].flat(),
    }),
  };
}

function noExamples(column: string) {
  const examples: ({ readonly name: string } & ReturnType<typeof fieldChange>)[] = [];
  return { column, count: 0, examples };
}

function isSameThing(op: ChangeOp) {
  return op === 'company_changed' || op === 'person_changed';
}

function sampleOf(change: Change, most: typeof onPage) {
  const { op, rowKey, rowNumber, before, after } = change;
  const columns = isSameThing(op) ? change.columns : [];

  const nameBefore = op === 'company_replaced' ? textOf(before?.company_name, most) : '';
  const reason = op === 'company_lost' ? textOf(after?.reason, most) : '';
  const person = op.startsWith('person_') ? personName(change, most) : '';
  return {
    op,
    rowKey: clipText(rowKey, most.text),
    rowNumber,
    name: nameOf(change, most),
    ...(nameBefore !== '' && { nameBefore }),
    ...(reason !== '' && { reason }),
    ...(person !== '' && { person }),
    fields: columns
      .slice(0, most.fields)
      .map((column) => ({ column, ...fieldChange(change, column, most) })),
  };
}

function nameOf({ companyName, companyId, before, after }: Change, most: typeof onPage) {
  return clipText(
    companyName ?? companyId ?? textOf((after ?? before)?.identifier, most),
    most.text,
  );
}

function personName({ before, after, personId }: Change, most: typeof onPage) {
  const position = textOf(after?.position ?? before?.position, most);
  return [position, personId ?? ''].filter(Boolean).join(', ');
}

function fieldChange({ before, after }: Change, column: string, most: typeof onPage) {
  return { before: textOf(before?.[column], most), after: textOf(after?.[column], most) };
}

function textOf(value: unknown, { text: longest }: typeof onPage) {
  if (value == null) return '';
  if (Array.isArray(value)) return clipText(value.map(String).join('; '), longest);
  const text = typeof value === 'object' ? jsonText(value) : String(value);
  return clipText(text, longest);
}
