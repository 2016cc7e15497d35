import {
  type Change,
  type ChangeCounts,
  type ChangeOp,
  changeOps,
  noChanges,
} from '../../records/changes.ts';
import { jsonText } from '../../runtime/json/json-text.ts';
import { clipText } from './row-sample.ts';

/** What people are told of the changes of a run, as plain JSON of a bounded size. */
export interface ChangeTally {
  readonly counts: ChangeCounts;
  /** Columns that changed where the company or person stayed, in the order of their first change. */
  readonly fields: readonly FieldTally[];
  /** The first changes of each kind. */
  readonly samples: readonly SampledChange[];
}

export interface FieldTally {
  readonly column: string;
  readonly count: number;
  readonly examples: readonly FieldExample[];
}

export interface FieldExample extends FieldChange {
  readonly rowKey: string;
  readonly name: string;
}

interface FieldChange {
  /** Empty where there was nothing. */
  readonly before: string;
  readonly after: string;
}

export interface SampledChange {
  readonly op: ChangeOp;
  readonly rowKey: string;
  /** Of the company; else what the row asks for, or the row's key. */
  readonly name: string;
  /** The company that the row had, where it has another. */
  readonly nameBefore?: string;
  /** Why a company is lost. */
  readonly reason?: string;
  /** The position of a person, or the id. */
  readonly person?: string;
  /** The first columns that changed, where company or person stayed. */
  readonly fields: readonly (FieldChange & { readonly column: string })[];
  readonly moreFields: number;
}

/** Changes of one kind that a page shows; the files have all of them. */
const samplesOnPage = 25;
const examplesKept = 3;
const fieldsShown = 8;
const longestText = 160;

export function openChangeTally(samplesOfOp = samplesOnPage) {
  const counts = noChanges();
  const samples = new Map<ChangeOp, SampledChange[]>(changeOps.map((op) => [op, []]));
  const fields = new Map<string, { column: string; count: number; examples: FieldExample[] }>();
  return {
    add(change: Change): void {
      const { op, rowKey, columns } = change;
      counts[op] += 1;
      const kept = samples.get(op) ?? [];
      if (kept.length < samplesOfOp) kept.push(sampleOf(change));
      if (!isSameThing(op)) return;
      const name = nameOf(change);
      for (const column of columns) {
        const field = fields.get(column) ?? { column, count: 0, examples: [] };
        fields.set(column, field);
        field.count += 1;
        if (field.examples.length < examplesKept) {
          field.examples.push({ rowKey, name, ...fieldChange(change, column) });
        }
      }
    },
    facts: (): ChangeTally => ({
      counts: { ...counts },
      fields: [...fields.values()],
      samples: [...samples.values()].flat(),
    }),
  };
}

/** Of a company or person that stayed, the fields tell what changed; of others they are just other ones. */
function isSameThing(op: ChangeOp): boolean {
  return op === 'company_changed' || op === 'person_changed';
}

function sampleOf(change: Change): SampledChange {
  const { op, rowKey, columns, before, after } = change;
  const shown = isSameThing(op) ? columns.slice(0, fieldsShown) : [];
  const nameBefore = op === 'company_replaced' ? textOf(before?.company_name) : '';
  const reason = op === 'company_lost' ? textOf(after?.reason) : '';
  const person = op.startsWith('person_') ? personName(change) : '';
  return {
    op,
    rowKey: clipText(rowKey, longestText),
    name: nameOf(change),
    ...(nameBefore !== '' && { nameBefore }),
    ...(reason !== '' && { reason }),
    ...(person !== '' && { person }),
    fields: shown.map((column) => ({ column, ...fieldChange(change, column) })),
    moreFields: isSameThing(op) ? columns.length - shown.length : 0,
  };
}

function nameOf({ companyName, companyId, before, after }: Change): string {
  return clipText(companyName ?? companyId ?? textOf((after ?? before)?.identifier), longestText);
}

function personName({ before, after, personId }: Change): string {
  const position = textOf(after?.position ?? before?.position);
  return [position, personId ?? ''].filter(Boolean).join(', ');
}

function fieldChange({ before, after }: Change, column: string): FieldChange {
  return { before: textOf(before?.[column]), after: textOf(after?.[column]) };
}

/** A value as people read it: a list joined, an object as JSON, nothing as an empty text. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return clipText(value.map(String).join('; '), longestText);
  const text = typeof value === 'object' ? jsonText(value) : String(value);
  return clipText(text, longestText);
}
