import { styleText } from 'node:util';
import { z } from 'zod';
import { readings } from '../../identify/identifier.ts';
import type { ListFindings } from '../../overview/lists/inspect-list.ts';
import { printable } from '../../runtime/printable.ts';
import { counted } from '../terminal/text.ts';

const share = () => z.number().min(0).max(1);

/** What `init --json` prints. */
export const InitJson = z.object({
  job: z.string().describe('Name of the drafted job.'),
  path: z.string().describe('The job file that was written.'),
  input: z.string().describe('The list.'),
  format: z.enum(['csv', 'jsonl', 'xlsx', 'parquet']),
  sheet: z.string().nullable().describe('The sheet that was read; null where there is none.'),
  hasHeader: z.boolean().describe('Whether its first line names the columns.'),
  notes: z
    .array(z.string())
    .describe('What was guessed to read the list: a title that is skipped, an encoding.'),
  columns: z.array(z.string()).describe('All columns of the list.'),
  holds: z
    .array(
      z.object({
        column: z.string(),
        filled: z.int().min(0).describe('Rows that have a value there.'),
        share: share().describe(
          'Share of these values that are an identifier of any kind; of the kind that `identify` names, where it names the column.',
        ),
        samples: z.array(z.string()).describe('Its first values.'),
      }),
    )
    .describe('What each column holds.'),
  rowsSeen: z.int().min(0).describe('Rows that were looked at, from the beginning.'),
  identify: z
    .array(
      z.object({
        column: z.string(),
        as: z.enum(readings).describe('What it holds.'),
        share: share().describe('Share of its values that give an identifier, 0 to 1.'),
      }),
    )
    .describe('Columns to identify companies by, best first.'),
  sure: z
    .boolean()
    .describe('False when no column looks like identifiers: `identify` is then the likeliest one.'),
  country: z
    .object({ column: z.string(), share: share().describe('Share of values that are known.') })
    .nullable()
    .describe('The column that holds the country; null where there is none.'),
  key: z
    .string()
    .nullable()
    .describe('The column that tells rows apart; null where none looks like a key.'),
});
export type InitJson = z.output<typeof InitJson>;

export function initJson(list: ListFindings, job: { name: string; path: string }): InitJson {
  const { identify, country } = list.columns;
  return {
    job: job.name,
    path: job.path,
    input: list.name,
    format: list.format,
    sheet: list.sheet?.name ?? null,
    hasHeader: list.hasHeader,
    notes: [...list.notes],
    columns: [...list.header],
    holds: list.facts.map((facts) => ({ ...facts, samples: [...facts.samples] })),
    rowsSeen: list.rowsSeen,
    identify: identify.map(({ column, as, share: part }) => ({ column, as, share: part })),
    sure: list.isSure,
    country: country ? { column: country.column, share: country.share } : null,
    key: list.key ?? null,
  };
}

const longestName = 30;

/** What to do about a draft whose column is a guess; an empty text where it is sure. */
export function unsureText(
  { isSure, columns }: ListFindings,
  draft: string,
  where: string,
): string {
  if (isSure) return '';
  const line = draft.split('\n').findIndex((text) => text.startsWith('  - column:')) + 1;
  const column = shown(columns.identify[0]?.column ?? '');
  return `No column is sure to identify companies.\nLine ${line} of ${where} names ${JSON.stringify(column)} for a start: put the right column there, or name it with --column.\n`;
}

/** The findings for people: each column with what it holds and its share of good values. */
export function foundText(list: ListFindings, stream: NodeJS.WriteStream): string {
  const { identify, country } = list.columns;
  const found = [...identify, ...(country ? [{ ...country, as: 'country' }] : [])];
  const { key } = list;
  const names = [...found.map(({ column }) => column), ...(key === undefined ? [] : [key])];
  const width = Math.max(...names.map((name) => shown(name).length));
  const looked = `${counted(list.header.length, 'column', 'columns')}, ${counted(list.rowsSeen, 'row', 'rows')} looked at`;
  const lines = [
    styleText('bold', printable(list.name), { stream }),
    `${list.format}${list.sheet ? `, sheet ${shown(list.sheet.name)}` : ''}, ${looked}`,
    ...otherSheets(list),
    ...list.notes,
    '',
    ...found.map(
      ({ column, as, share: part }) =>
        `  ${shown(column).padEnd(width)}  ${as.padEnd(8)}${String(Math.round(part * 100)).padStart(4)}% good`,
    ),
    ...(key === undefined ? [] : [`  ${shown(key).padEnd(width)}  key     unique`]),
  ];
  return `${lines.join('\n')}\n`;
}

function otherSheets({ sheet }: ListFindings): string[] {
  if (!sheet || sheet.others.length === 0) return [];
  return [`other sheets: ${sheet.others.map(shown).join(', ')}; --sheet takes one`];
}

/** Replaces control characters, because a list from outside could send commands to the terminal. */
function shown(column: string): string {
  const printable = column.replace(/[\p{C}\s]+/gu, ' ');
  return printable.length <= longestName ? printable : `${printable.slice(0, longestName - 1)}…`;
}
