import {
  addChange,
  type Change,
  type ChangeOp,
  everyChangeOp,
} from '../../core/columns/compare-records.ts';
import { IdSet } from '../../core/values/id-set.ts';
import { jsonText } from '../../core/values/json-text.ts';
import { noChanges } from '../changes.ts';
import { clipText } from './row-sample.ts';

export type ChangeTally = ReturnType<ReturnType<typeof createChangeTally>['facts']>;
export type SampledChange = ReturnType<typeof sampleOf>;

const samplesOnPage = 25;
const examplesKept = 3;
const fieldsShown = 8;
const longestText = 160;

export function createChangeTally(samplesOfOp = samplesOnPage) {
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
      if (kept.length < samplesOfOp) kept.push(sampleOf(change));
      if (!isSameThing(op)) return;
      const name = nameOf(change);
      for (const column of columns) {
        const field = fields.get(column) ?? noExamples(column);
        fields.set(column, field);
        field.count += 1;
        if (field.examples.length < examplesKept) {
          field.examples.push({ name, ...fieldChange(change, column) });
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

function sampleOf(change: Change) {
  const { op, rowKey, rowNumber, before, after } = change;
  const columns = isSameThing(op) ? change.columns : [];
  const shown = columns.slice(0, fieldsShown);
  const nameBefore = op === 'company_replaced' ? textOf(before?.company_name) : '';
  const reason = op === 'company_lost' ? textOf(after?.reason) : '';
  const person = op.startsWith('person_') ? personName(change) : '';
  return {
    op,
    rowKey: clipText(rowKey, longestText),
    rowNumber,
    name: nameOf(change),
    ...(nameBefore !== '' && { nameBefore }),
    ...(reason !== '' && { reason }),
    ...(person !== '' && { person }),
    fields: shown.map((column) => ({ column, ...fieldChange(change, column) })),
    moreFields: columns.length - shown.length,
  };
}

function nameOf({ companyName, companyId, before, after }: Change) {
  return clipText(companyName ?? companyId ?? textOf((after ?? before)?.identifier), longestText);
}

function personName({ before, after, personId }: Change) {
  const position = textOf(after?.position ?? before?.position);
  return [position, personId ?? ''].filter(Boolean).join(', ');
}

function fieldChange({ before, after }: Change, column: string) {
  return { before: textOf(before?.[column]), after: textOf(after?.[column]) };
}

function textOf(value: unknown) {
  if (value == null) return '';
  if (Array.isArray(value)) return clipText(value.map(String).join('; '), longestText);
  const text = typeof value === 'object' ? jsonText(value) : String(value);
  return clipText(text, longestText);
}
