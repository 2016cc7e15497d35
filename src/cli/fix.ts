import { z } from 'zod';
import { DossierError, exitCodeOf } from '../errors.ts';
import { Correction, readCorrections } from '../job/mended/correction.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { openJobToRead, openRanJob } from '../overview/jobs/open-job.ts';
import { PlanJson, planJson } from '../overview/plan/plan-json.ts';
import {
  dropCorrections,
  keepCorrections,
  listCorrections,
  type Mending,
  readMending,
  requirePlace,
} from '../run/corrections.ts';
import { planJob } from '../run/plan-job.ts';
import { formatMoneyRange, toMicros } from '../runtime/budget/money.ts';
import { systemClock } from '../runtime/clock.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';
import { command, type Terminal } from './command.ts';
import { sharingText } from './connect.ts';
import {
  allFlags,
  flag,
  job,
  jobFlags,
  logFormat,
  logLevel,
  type Option,
  text,
  usage,
  type Values,
} from './options.ts';
import { openEnding } from './run/end/end-run.ts';
import { performRun } from './run/perform-run.ts';
import { openRunVoice } from './run/run-voice.ts';
import { sideCopyNotes } from './run/side-copy.ts';
import type { Page } from './terminal/page.ts';
import { counted, formatNumber, fromHere, sampleDataText, shellWord } from './terminal/text.ts';

/** What `fix --list --json` prints. */
export const FixListJson = z
  .strictObject({
    job: z.string().describe('Name of the job.'),
    file: z.string().describe('Where its corrections are kept, one a line.'),
    corrections: z.array(
      Correction.extend({
        state: z
          .enum(['applies', 'unneeded', 'missing', 'unknown'])
          .describe(
            '`applies` while the list holds the rejected value; `unneeded` where it has another one there; `missing` where it does not have the row; `unknown` where the list could not be read.',
          ),
      }),
    ),
    trouble: z.string().nullable().describe('Why the list could not be read; null where it was.'),
  })
  .meta({ id: 'FixListJson' });

/** What `fix --drop --json` prints. */
export const FixDropJson = z
  .strictObject({
    job: z.string().describe('Name of the job.'),
    file: z.string().describe('Where its corrections are kept.'),
    dropped: z.array(Correction).describe('The corrections that were dropped.'),
    left: z.int().describe('How many are left.'),
  })
  .meta({ id: 'FixDropJson' });

/** What `fix --dry-run --json` prints. */
export const FixPlanJson = z
  .strictObject({
    file: z.string().describe('Where the corrections would be kept.'),
    corrections: z.array(Correction).describe('Those that are new, or say something else.'),
    again: z.int().describe('Cells of the file whose correction is kept already.'),
    refused: z
      .array(
        z.strictObject({
          row_key: z.string(),
          column: z.string(),
          value: z.string(),
          reason: z.string().describe('Code of the reason, as in `reason` of the outputs.'),
          message: z.string(),
        }),
      )
      .describe('Changed cells that cannot be asked for, either.'),
    unknown: z.array(z.string()).describe('Row keys of the file that the list does not have.'),
    matched: z.int().describe('Rows with a changed cell that have a company already.'),
    ignored: z
      .record(z.string(), z.int())
      .describe('Changed cells of columns that say nothing about what a row asks for.'),
    plan: PlanJson.describe('What would be asked, as `plan --json` tells it, of the fixed rows.'),
  })
  .meta({ id: 'FixPlanJson' });

// The result is written whole, so there is no --limit.
const { limit: _limit, ...flags } = allFlags;
const drop: Option<string[] | undefined> = {
  describe: 'Drop the corrections of the rows with these keys',
  read: (given) => [given].flat().map(String),
  isList: true,
};
const options = {
  ...flags,
  job,
  file: text('Rejects file with fixed cells, also as a spreadsheet has saved it'),
  ...jobFlags('share'),
  list: flag(
    'List the corrections of the job, and which of them the list needs no more or lacks the rows of',
  ),
  drop,
  all: flag('With --drop: drop all corrections of the job'),
  dryRun: flag('Make no call and keep nothing; say what is fixed and what it would cost'),
  json: flag('End with one JSON object'),
  logFormat,
  logLevel,
};
type Given = Values<typeof options>;

/** What `--json` prints of a fix that makes no run, and the same for people. */
interface Told {
  readonly json: object;
  readonly text: (page: Page) => string[];
}

export const fix = command({
  options,
  examples: {
    '$0 fix jobs/demo.yaml output/demo/rejects.csv': 'after cells were fixed there',
    '$0 fix jobs/demo.yaml output/demo/rejects.csv --dry-run': 'what that would cost',
    '$0 fix jobs/demo.yaml --list': 'the corrections that are kept',
    '$0 fix jobs/demo.yaml --drop 73ca9e02022778dd': 'the row as the list has it',
  },
  async facts(args, terminal) {
    refuseMixture(args);
    if (args.list) return await listed(openRanJob(args.job, args), terminal);
    if (args.drop) return await dropped(openRanJob(args.job, args), args, terminal);
    using voice = openRunVoice({ ...args, isFix: true }, args.logFormat, args.logLevel);
    const end = openEnding(voice, args.json);
    try {
      const of = { ...openJobToRead(args.job, args), keepsOutcomes: true };
      const place = requirePlace(of);
      if (args.file === undefined && readCorrections(place).length === 0) {
        throw usage('fix takes a fixed rejects file: no correction is kept yet');
      }
      const { file } = args;
      const read = async () => (file === undefined ? undefined : await readMending(of, file));
      if (args.dryRun) return await planned(of, await read(), terminal);
      const prepare = async () => {
        const fixing = await read();
        const notes = [
          ...(fixing ? [keptText(fixing, place), ...fixingNotes(fixing)] : []),
          ...sharingText(of.service),
          ...(await sideCopyNotes(of, args)),
        ];
        if (fixing) await keepCorrections(of, fixing.corrections);
        return notes;
      };
      await performRun(of, {}, { voice, end, prepare });
    } catch (error) {
      process.exitCode = exitCodeOf(error);
      await end.failed(error);
    }
    return undefined;
  },
  json: ({ json }) => json,
  text: (told, page) => told.text(page),
});

function refuseMixture({ list, drop, all, file, dryRun }: Given): void {
  if (list && drop) throw usage('--list and --drop are two things: give one of them');
  if ((list || drop) && (file !== undefined || dryRun)) {
    throw usage(`${list ? '--list' : '--drop'} takes no file and no --dry-run`);
  }
  if (all && !drop) throw usage('--all belongs to --drop: dossier fix <job> --drop --all');
  if (drop && drop.length > 0 === all) {
    throw usage('--drop takes the keys of rows, or --all; --list shows them');
  }
}

const marks = {
  applies: '',
  unneeded: 'no longer needed',
  missing: 'not in the list',
  unknown: '',
} as const;

/** Lists the corrections of a job. */
async function listed(of: ResolvedJob, terminal: Terminal): Promise<Told> {
  const file = requirePlace(of);
  const { corrections, trouble } = await listCorrections(of);
  if (trouble !== null) {
    terminal.next(`Which of them the list still needs is not known: ${trouble}`);
  }
  const where = corrections.length === 0 ? '' : ` in ${fromHere(file)}`;
  return {
    json: { job: of.name, file, corrections, trouble } satisfies z.input<typeof FixListJson>,
    text: (page) => [
      page.bold(`${of.name}: ${counted(corrections.length, 'correction')}${where}`),
      ...correctionLines(corrections, page).map((line, index) => {
        const mark = marks[corrections[index]?.state ?? 'unknown'];
        return mark === '' ? line : `${line}  ${page.style('yellow', mark)}`;
      }),
    ],
  };
}

/** Drops the corrections of some rows, or all. */
async function dropped(of: ResolvedJob, args: Given, terminal: Terminal): Promise<Told> {
  const file = requirePlace(of);
  const keys = args.all ? undefined : (args.drop ?? []);
  const known = new Set(readCorrections(file).map(({ row_key }) => row_key));
  const unknown = (keys ?? []).filter((key) => !known.has(key));
  if (unknown.length > 0) {
    const which = unknown.map((key) => JSON.stringify(key)).join(', ');
    throw usage(`there is no correction of ${which} in ${file}`);
  }
  const gone = await dropCorrections(of, ({ row_key }) => keys?.includes(row_key) ?? true);
  if (gone.dropped.length > 0) {
    terminal.next(`The next run reads these rows as the list has them: dossier run ${args.job}`);
  }
  const title = `${counted(gone.dropped.length, 'correction')} dropped, ${gone.left} left`;
  return {
    json: { job: of.name, file, ...gone } satisfies z.input<typeof FixDropJson>,
    text: (page) => [title, ...correctionLines(gone.dropped, page)],
  };
}

/** Says what fixing would ask for and cost. Nothing is kept, and no call is made. */
async function planned(
  of: ResolvedJob,
  fixing: Mending | undefined,
  terminal: Terminal,
): Promise<Told> {
  const corrections = fixing && { corrections: fixing.kept };
  const made = await planJob(of, { clock: systemClock, ...corrections }).catch((error) => {
    if (!(error instanceof DossierError) || error.code !== 'FIX_NEEDS_RUN') throw error;
    // Fixing keeps its corrections before it finds that no run can stand; a plan of it keeps none.
    const told =
      'without --dry-run the corrections are kept for the next run, and nothing is asked';
    throw new DossierError(error.code, `${error.message}; ${told}`, { cause: error });
  });
  const plan = planJson(made);
  const fresh = fixing?.corrections ?? [];
  const words = process.argv.slice(2).filter((word) => word !== '--dry-run' && word !== '--json');
  const line = withoutSecrets(['dossier', ...words.map(shellWord)].join(' '));
  terminal.next(`\nNo call was made and nothing was kept. To do both:\n  ${line}`);
  const json = {
    file: requirePlace(of),
    corrections: fresh,
    again: fixing?.again ?? 0,
    refused: fixing?.refused ?? [],
    unknown: fixing?.unknown ?? [],
    matched: fixing?.matched ?? 0,
    ignored: Object.fromEntries(fixing?.ignored ?? []),
    plan,
  } satisfies z.input<typeof FixPlanJson>;
  const { rows, calls, price } = plan;
  const [least, most] = [calls.least, calls.mostIfFull].map(formatNumber);
  const micros = (amount: number) => toMicros(amount) ?? 0;
  return {
    json,
    text: (page) => [
      ...sampleDataText(of.service.url),
      page.bold(`${of.name}: ${counted(fresh.length, 'new correction')}`),
      ...correctionLines(fresh, page).map((shown) => `  ${shown}`),
      ...(fixing ? fixingNotes(fixing) : []),
      '',
      ...page.field('rows to ask for', formatNumber(rows.total), 17),
      ...page.field('calls needed', least === most ? (least ?? '') : `${least} to ${most}`, 17),
      ...(price
        ? page.field(
            'price',
            formatMoneyRange(price.currency, micros(price.least), micros(price.mostIfFull)),
            17,
          )
        : []),
    ],
  };
}

/** What was kept, and where. */
function keptText({ corrections, again }: Mending, file: string): string {
  const known = again > 0 ? `; ${counted(again, 'cell was', 'cells were')} fixed so before` : '';
  if (corrections.length === 0) return `No new correction${known}.`;
  const kept = counted(corrections.length, 'correction');
  return `${kept} kept in ${fromHere(file)}${known}.`;
}

/** So many cells or keys show what kind they are. */
const shown = 5;

/** What of a fixed file was not taken, and why. */
function fixingNotes(mending: Mending): string[] {
  const { refused, unknown, matched, ignored, run } = mending;
  const quoted = (texts: readonly string[]) => texts.map((text) => JSON.stringify(text)).join(', ');
  const notes = [
    ...mending.notes,
    ...refused
      .slice(0, shown)
      .map(
        ({ row_key, column, value, message }) =>
          `Not taken: row ${row_key}, ${column}: ${JSON.stringify(value)}. ${message}`,
      ),
  ];
  if (refused.length > shown) notes.push(`Not taken: ${refused.length - shown} cells more.`);
  if (unknown.length > 0) {
    const rows = counted(unknown.length, 'row of the file is', 'rows of the file are');
    const keys = `${quoted(unknown.slice(0, shown))}${unknown.length > shown ? ' …' : ''}`;
    notes.push(
      `${rows} left out, because ${run} has no such row_key: ${keys}. A spreadsheet may have changed the keys: their column has to be text.`,
    );
  }
  if (matched > 0) {
    notes.push(
      `${counted(matched, 'row has', 'rows have')} a company already and stay as they are.`,
    );
  }
  if (ignored.size > 0) {
    const cells = [...ignored].map(([column, count]) => `${JSON.stringify(column)} (${count})`);
    notes.push(
      `Changed cells of ${cells.join(', ')} are ignored. Columns that can be fixed: ${quoted(mending.columns)}.`,
    );
  }
  return notes;
}

/** `73ca9e02022778dd  website  "smec,com" → "smec.com"` */
function correctionLines(corrections: readonly Correction[], page: Page): string[] {
  const rows = corrections.map(({ row_key, column, was, now }) => [
    row_key,
    column,
    `${JSON.stringify(was)} → ${JSON.stringify(now)}`,
  ]);
  return page.table(rows, { isCut: false });
}
