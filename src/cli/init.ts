import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { type Country, countries, defaultCountry } from '../contract/countries.ts';
import { readings } from '../identify/identifier.ts';
import { parseCountry } from '../identify/parse-country.ts';
import { draftJob } from '../job/from-list/draft-job.ts';
import { jobName } from '../job/from-list/job-for-file.ts';
import { readColumns, readInputForm } from '../job/job-flags.ts';
import { inspectList, type ListFindings } from '../overview/lists/inspect-list.ts';
import { refuseExisting, writeDraft } from '../overview/lists/write-draft.ts';
import { isListAddress, shownPath } from '../runtime/files/local-path.ts';
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
  async facts(
    { file, to, force, json, column, as, ...given },
    { note, print },
  ): Promise<z.output<typeof InitJson> | undefined> {
    if (file === '-') throw usage('init takes a file; a pipe cannot be read twice');
    if (json && to === '-') throw usage('--json and --to - both want the standard output');
    const name = jobName(file);
    // A list elsewhere has no folder of this machine, so that its job is written here.
    const target = to ?? join(isListAddress(file) ? '' : dirname(file), `${name}.yaml`);
    if (target !== '-' && !force) refuseExisting(target);
    const form = readInputForm(given);
    const list = await inspectList(file, form, readColumns({ column, as }));
    for (const line of foundLines(list, pageFor(process.stderr))) note(line);
    const { country, hasPeople } = await askQuestions(list, process.stdin, process.stderr);
    const { hasHeader, rowsSeen, facts, columns, isSure, key } = list;
    const draft = draftJob({
      name,
      inputPath: placeOf(file, target),
      form,
      hasHeader,
      rowsSeen,
      facts,
      columns,
      isSure,
      key,
      country,
      hasPeople,
      jobPath: shellWord(target === '-' ? `${name}.yaml` : target),
    });
    if (target === '-') {
      print(draft);
      for (const line of unsureLines(list, draft, 'the draft')) note(line);
      return undefined;
    }
    await writeDraft(target, draft, { isForced: force });
    const [unsure = '', ...more] = unsureLines(list, draft, target);
    note(`\nWrote ${target}. ${unsure}`.trimEnd());
    const isNamed = Boolean(process.env.DOSSIER_URL);
    const next = isNamed ? 'Next:' : 'Next, with DOSSIER_URL set or `--url embedded` to try it:';
    const steps = ['check', 'plan', 'run'].map((step) => `  dossier ${step} ${shellWord(target)}`);
    for (const line of [...more, next, ...steps]) note(line);
    return {
      job: name,
      path: target,
      input: list.name,
      format: list.format,
      sheet: list.sheet?.name ?? null,
      hasHeader,
      notes: [...list.notes],
      columns: [...list.header],
      holds: facts.map((fact) => ({ ...fact, samples: [...fact.samples] })),
      rowsSeen,
      identify: columns.identify.map((one) => ({
        column: one.column,
        as: one.as,
        share: one.share,
      })),
      sure: isSure,
      country: columns.country
        ? { column: columns.country.column, share: columns.country.share }
        : null,
      key: key ?? null,
    };
  },
  text: () => [],
});

/** How a job file names its list. A secret does not go into a file that people check in. */
function placeOf(file: string, target: string): string {
  if (isListAddress(file)) return shownPath(file);
  // The folder of standard output is unknown, so no relative path would be right there.
  return target === '-' ? resolve(file) : relative(dirname(resolve(target)), resolve(file));
}

/** What to do about a draft whose column is a guess; nothing where it is sure. */
function unsureLines({ isSure, columns }: ListFindings, draft: string, where: string): string[] {
  if (isSure) return [];
  const line = draft.split('\n').findIndex((text) => text.startsWith('  - column:')) + 1;
  const column = JSON.stringify(shortened(columns.identify[0]?.column ?? '', longestName));
  return [
    'No column is sure to identify companies.',
    `Line ${line} of ${where} names ${column} for a start: put the right column there, or name it with --column.`,
  ];
}

const longestName = 30;

/** The findings for people: each column with what it holds and its share of good values. */
function foundLines(list: ListFindings, page: Page): string[] {
  const { columns, key, sheet } = list;
  const shown = (name: string) => shortened(name, longestName);
  const { country } = columns;
  const found = [...columns.identify, ...(country ? [{ ...country, as: 'country' }] : [])];
  const rows = [
    ...found.map(({ column, as, share: part }) => [
      shown(column),
      as,
      `${Math.round(part * 100)}% good`,
    ]),
    ...(key === undefined ? [] : [[shown(key), 'key', 'unique']]),
  ];
  const others = sheet?.others ?? [];
  return [
    page.bold(list.name),
    `${list.format}${sheet ? `, sheet ${shown(sheet.name)}` : ''}, ${counted(list.header.length, 'column')}, ${counted(list.rowsSeen, 'row')} looked at`,
    ...(others.length > 0
      ? [`other sheets: ${others.map(shown).join(', ')}; --sheet takes one`]
      : []),
    ...list.notes,
    '',
    ...page.table(rows, { indent: '  ' }),
  ];
}

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };
type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Asks for what the list does not say. Without a terminal it takes the defaults. */
export async function askQuestions(
  { columns }: Pick<ListFindings, 'columns'>,
  input: Input,
  output: Output,
) {
  if (!input.isTTY || !output.isTTY) return { country: defaultCountry, hasPeople: false };
  // One iterator over all lines keeps a line that is typed before its question appears.
  const lines = createInterface({ input, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    output.write(question);
    const { value, done } = await answers.next();
    // After Ctrl-D the remaining questions take their defaults.
    return done ? '' : value;
  };
  try {
    output.write('\n');
    const which = columns.country ? 'Country of rows that name none' : 'Country of the companies';
    const country = await askCountry(`${which} [${defaultCountry}]: `, ask, output);
    const people = await ask('Search for people of each company, too? [y/N]: ');
    return { country, hasPeople: /^\s*y/i.test(people) };
  } finally {
    lines.close();
  }
}

async function askCountry(
  question: string,
  ask: (question: string) => Promise<string>,
  output: Output,
): Promise<Country> {
  for (;;) {
    const given = await ask(question);
    if (given.trim() === '') return defaultCountry;
    const country = parseCountry(given);
    if (typeof country === 'string') return country;
    output.write(`One of ${countries.join(', ')}, please.\n`);
  }
}
