import { z } from 'zod';
import { Correction, readCorrections } from '../job/corrections.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import {
  dropCorrections,
  type Fixing,
  keepCorrections,
  listCorrections,
  readFixing,
  requirePlace,
} from '../run/corrections.ts';
import { openJobToRead, openRanJob } from '../ui/overview/jobs.ts';
import { PlanJson } from '../ui/overview/plan.ts';
import { command } from './command.ts';
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
import { planned, planText } from './plan.ts';
import { asRun } from './run/perform-run.ts';
import { sideCopyNotes } from './run/run-texts.ts';
import { factsText } from './terminal/page.ts';
import type { Terminal } from './terminal/terminal.ts';
import { counted, fromHere } from './terminal/text.ts';

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
  ...jobFlags('maxSpend', 'share'),
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

/** What a fix that makes no run says. */
interface Told {
  readonly told: object;
  readonly plan?: Awaited<ReturnType<typeof planned>>;
}

export const fix = command({
  options,
  examples: {
    '$0 fix jobs/demo.yaml output/demo/rejects.csv': 'after cells were fixed there',
    '$0 fix jobs/demo.yaml output/demo/rejects.csv --dry-run': 'what that would cost',
    '$0 fix jobs/demo.yaml --list': 'the corrections that are kept',
    '$0 fix jobs/demo.yaml --drop 73ca9e02022778dd': 'the row as the list has it',
  },
  async facts(args, terminal): Promise<Told | undefined> {
    refuseMixture(args);
    if (args.list) {
      const of = openRanJob(args.job, args);
      const told = { job: of.name, file: requirePlace(of), ...(await listCorrections(of)) };
      return { told } satisfies { told: z.input<typeof FixListJson> };
    }
    if (args.drop) return { told: await dropped(openRanJob(args.job, args), args, terminal) };
    return await asRun({ ...args, isFix: true }, terminal, async (perform) => {
      const of = { ...openJobToRead(args.job, args), keepsOutcomes: true };
      const place = requirePlace(of);
      const { file, dryRun } = args;
      if (file === undefined && readCorrections(place).length === 0) {
        throw usage('fix takes a fixed rejects file: no correction is kept yet');
      }
      const read = async () => (file === undefined ? undefined : await readFixing(of, file));
      if (dryRun) return await planFix(of, place, await read(), terminal);
      return await perform(of, async () => {
        const fixing = await read();
        const notes = [
          ...(fixing ? [keptText(fixing, place), ...fixingNotes(fixing)] : []),
          ...sharingText(of.service),
          ...(await sideCopyNotes(of, args)),
        ];
        if (fixing) await keepCorrections(of, fixing.corrections);
        return notes;
      });
    });
  },
  json: ({ told, plan }) => (plan ? { ...told, plan: plan.found } : told),
  text: ({ told, plan }, page, args) => [
    ...factsText(told, page),
    ...(plan ? ['', ...planText(plan, page, args)] : []),
  ],
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

/** Drops the corrections of some rows, or all. */
async function dropped(
  of: ResolvedJob,
  { job: given, all, drop: keys = [] }: Given,
  terminal: Terminal,
): Promise<z.input<typeof FixDropJson>> {
  const file = requirePlace(of);
  const known = readCorrections(file).map(({ row_key }) => row_key);
  const unknown = keys.filter((key) => !known.includes(key));
  if (unknown.length > 0) throw usage(`there is no correction of ${quoted(unknown)} in ${file}`);
  const gone = await dropCorrections(of, ({ row_key }) => all || keys.includes(row_key));
  if (gone.dropped.length > 0) {
    terminal.next(`The next run reads these rows as the list has them: dossier run ${given}`);
  }
  return { job: of.name, file, ...gone };
}

/** Says what fixing would ask for and cost. Nothing is kept, and no call is made. */
async function planFix(
  of: ResolvedJob,
  file: string,
  fixing: Fixing | undefined,
  terminal: Terminal,
) {
  const plan = await planned(of, terminal, fixing?.kept);
  const told = {
    file,
    corrections: fixing?.corrections ?? [],
    again: fixing?.again ?? 0,
    refused: fixing?.refused ?? [],
    unknown: fixing?.unknown ?? [],
    matched: fixing?.matched ?? 0,
    ignored: Object.fromEntries(fixing?.ignored ?? []),
  } satisfies Omit<z.input<typeof FixPlanJson>, 'plan'>;
  return { told, plan };
}

/** What was kept, and where. */
function keptText({ corrections, again }: Fixing, file: string): string {
  const known = again > 0 ? `; ${counted(again, 'cell was', 'cells were')} fixed so before` : '';
  if (corrections.length === 0) return `No new correction${known}.`;
  return `${counted(corrections.length, 'correction')} kept in ${fromHere(file)}${known}.`;
}

const quoted = (texts: readonly string[]) => texts.map((one) => JSON.stringify(one)).join(', ');

/** So many cells or keys show what kind they are. */
const shown = 5;

/** What of a fixed file was not taken, and why. */
function fixingNotes({ refused, unknown, matched, ignored, ...fixing }: Fixing): string[] {
  const cells = [...ignored].map(([column, count]) => `${JSON.stringify(column)} (${count})`);
  const more = unknown.length > shown ? ' …' : '';
  return [
    ...fixing.notes,
    ...refused
      .slice(0, shown)
      .map(
        ({ row_key, column, value, message }) =>
          `Not taken: row ${row_key}, ${column}: ${JSON.stringify(value)}. ${message}`,
      ),
    refused.length > shown && `Not taken: ${refused.length - shown} cells more.`,
    unknown.length > 0 &&
      `${counted(unknown.length, 'row')} left out, because ${fixing.run} has no such row_key: ${quoted(unknown.slice(0, shown))}${more}. A spreadsheet may have changed the keys: their column has to be text.`,
    matched > 0 &&
      `${counted(matched, 'row has', 'rows have')} a company already and stay as they are.`,
    cells.length > 0 &&
      `Changed cells of ${cells.join(', ')} are ignored. Columns that can be fixed: ${quoted(fixing.columns)}.`,
  ].filter((note) => note !== false);
}
