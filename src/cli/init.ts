import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { DossierError } from '../core/errors.ts';
import { readings } from '../core/identify/identifier.ts';
import { isListAddress, shownPath } from '../core/runtime/files/local-path.ts';
import { draftJob } from '../job/from-list/draft-job.ts';
import { jobFileName, jobName } from '../job/from-list/job-for-file.ts';
import { readColumns, readInputForm } from '../job/job-flags.ts';
import { sheetHint } from '../lists/input-row.ts';
import {
  inspectSample,
  type ListFindings,
  refuseExisting,
  sampleList,
  writeDraft,
} from '../ui/overview/lists.ts';
import { command } from './command.ts';
import { argument, flag, listFlags, path, usage } from './options.ts';
import { type Page, pageFor } from './terminal/page.ts';
import { counted, shellWord, shortened } from './terminal/text.ts';

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
export const init = command({
  options: {
    ...listFlags,
    file: argument('CSV, JSON, JSONL, Parquet or Excel list of companies, or its address'),
    to: path('Where to write the job; - is standard output (default: beside the list)'),
    force: flag('Replace a file that exists'),
  },
  examples: {
    '$0 init fixtures/leads/leads.csv --to my-leads.yaml': 'a job for the sample list',
    '$0 init fixtures/leads/leads.csv --to -': 'look at it first',
  },
  jsonHelp: 'Print what was found as one JSON object',
  async facts({ file, to, force, json, column, as, ...given }, { note, print }) {
    if (file === '-') throw usage('init takes a file; a pipe cannot be read twice');
    if (json && to === '-') throw usage('--json and --to - both want the standard output');
    const name = jobName(file);
    // A list elsewhere has no folder of this machine, so that its job is written here.
    const target = to ?? join(isListAddress(file) ? '' : dirname(file), jobFileName(file));
    if (target !== '-' && !force) refuseExisting(target);
    const form = readInputForm(given);
    const list = inspectSample(await sampleList(file, form), readColumns({ column, as }));
    const { columns, isSure, key, sheet } = list;
    const noColumn = 'No column is sure to identify companies, and names cannot be looked up.';
    // A job of the wrong sheet would stand in the way of that of the right one.
    if (!isSure && sheetHint(sheet)) {
      throw new DossierError('COLUMNS_UNCLEAR', `${file}: ${noColumn}${sheetHint(sheet)}`);
    }
    note(...foundLines(list, pageFor(process.stderr)));
    const jobPath = shellWord(target === '-' ? `${name}.yaml` : target);
    const inputPath = placeOf(file, target);
    const draft = draftJob({ ...list, name, inputPath, form, jobPath });
    if (target === '-') print(draft);
    else await writeDraft(target, draft, force);
    const where = target === '-' ? 'the draft' : target;
    note(target === '-' ? '' : `\nWrote ${target}.`);
    if (!isSure) {
      const line = draft.split('\n').findIndex((text) => text.startsWith('  - column:')) + 1;
      const likeliest = JSON.stringify(shown(columns.identify[0]?.column ?? ''));
      note(
        `${noColumn}\nLine ${line} of ${where} names ${likeliest} for a start: put the right column there, or name it with --column.`,
      );
    }
    if (target === '-') return undefined;
    note(
      process.env.DOSSIER_URL
        ? 'Next:'
        : 'Next, with DOSSIER_URL set or `--url embedded` to try it:',
    );
    note(...['check', 'plan', 'run'].map((step) => `  dossier ${step} ${jobPath}`));
    return InitJson.parse({
      ...list,
      job: name,
      path: target,
      input: list.name,
      sheet: sheet?.name ?? null,
      columns: list.header,
      holds: list.facts,
      identify: columns.identify,
      sure: isSure,
      country: columns.country ?? null,
      key: key ?? null,
    });
  },
  text: () => [],
});

/** How a job file names its list. A secret does not go into a file that people check in. */
function placeOf(file: string, target: string): string {
  if (isListAddress(file)) return shownPath(file);
  // The folder of standard output is unknown, so no relative path would be right there.
  return target === '-' ? resolve(file) : relative(dirname(resolve(target)), resolve(file));
}

const shown = (name: string) => shortened(name, 30);

/** The findings for people: each column with what it holds and its share of good values. */
function foundLines(list: ListFindings, page: Page): string[] {
  const { columns, key, sheet } = list;
  const country = columns.country && { ...columns.country, as: 'country' };
  const rows = [...columns.identify, country]
    .filter((one) => one !== undefined)
    .map(({ column, as, share: part }) => [shown(column), as, `${Math.round(part * 100)}% good`]);
  if (key !== undefined) rows.push([shown(key), 'key', 'unique']);
  const others = (sheet?.others ?? []).map(shown).join(', ');
  return [
    page.bold(list.name),
    `${list.format}${sheet ? `, sheet ${shown(sheet.name)}` : ''}, ${counted(list.header.length, 'column')}, ${counted(list.rowsSeen, 'row')} looked at`,
    ...(others ? [`other sheets: ${others}; --sheet takes one`] : []),
    ...list.notes,
    '',
    ...page.table(rows, { indent: '  ' }),
  ];
}
