import { z } from 'zod';
import { count, counts, string, stringOrNull, strings } from '../core/values/fields.ts';
import { counted } from '../core/values/format.ts';
import { PlanJson } from '../facts/plan.ts';
import { Correction, readCorrections } from '../job/corrections.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { fromHere } from '../platform/files/local-path.ts';
import { keepEditedRejects } from '../run/export/destinations.ts';
import { readFixing } from '../run/fix/read-fixing.ts';
import {
  dropCorrections,
  keepCorrections,
  listCorrections,
  requireCorrectionsPath,
} from '../run/fix/stored-corrections.ts';
import { readJobToRun, readPastJob } from '../run/jobs/read-job.ts';
import { command } from './parts/command.ts';
import {
  accept,
  allFlags,
  flag,
  jobArgument,
  jobFlags,
  logFormat,
  logLevel,
  type Option,
  text,
  usage,
  type Values,
  yes,
} from './parts/options.ts';
import { planned, planText } from './plan.ts';
import { asRun } from './run/perform-run.ts';
import type { Terminal } from './terminal/terminal.ts';
import { commandLine } from './terminal/text.ts';

export const FixListJson = z.strictObject({
  job: string('Name of the job.'),
  file: string('File with the corrections of the job, one per line.'),
  corrections: z.array(
    Correction.extend({
      state: z
        .enum(['applies', 'unneeded', 'missing', 'unknown'])
        .describe(
          '`applies`: the list still has the rejected value. `unneeded`: the list has a different value. `missing`: the list has no such row. `unknown`: the list could not be read.',
        ),
    }),
  ),
  trouble: stringOrNull('Why the list could not be read.'),
});

export const FixDropJson = z.strictObject({
  job: string('Name of the job.'),
  file: string('File with the corrections of the job.'),
  dropped: z.array(Correction).describe('Dropped corrections.'),
  left: count('Corrections left.'),
});

/** `fix --dry-run --json` */
export const FixPlanJson = z.strictObject({
  file: string('File with the corrections.'),
  corrections: z.array(Correction).describe('New or changed corrections.'),
  again: count('Corrections that had already been stored.'),
  refused: z
    .array(
      z.strictObject({
        row_key: z.string(),
        column: z.string(),
        value: z.string(),
        reason: string('Reason code, as in the `reason` column of the outputs.'),
        message: z.string(),
      }),
    )
    .describe('Changed cells whose new value is also invalid.'),
  unknown: strings('Row keys that are not in the list.'),
  matched: count('Changed rows that already have a company.'),
  ignored: counts(
    'Changed cells that were ignored, for each column that does not accept corrections.',
  ),
  plan: PlanJson.describe('What looking up the corrected rows would cost, as in `plan --json`.'),
});

// A fix writes the whole result, so `--limit` makes no sense.
const { limit: _limit, ...flags } = allFlags;
const drop: Option<string[] | undefined> = {
  describe: 'Drop the corrections of rows with these keys',
  read: (given) => [given].flat().map(String),
  isList: true,
};
const options = {
  ...flags,
  job: jobArgument,
  file: text('Rejects file with your corrections; a copy saved by a spreadsheet works too'),
  ...jobFlags('maxSpend', 'share'),
  list: flag("List the job's corrections and whether the list still needs them"),
  drop,
  all: flag('With --drop: drop all corrections of the job'),
  dryRun: flag('Show the corrections and their cost; makes no call and stores nothing'),
  json: flag('Print one JSON object at the end'),
  accept,
  yes,
  logFormat,
  logLevel,
};
type Given = Values<typeof options>;

export const fix = command({
  options,
  examples: {
    '$0 fix jobs/demo.yaml output/demo/rejects.csv':
      'look up the rows that you corrected in the file',
    '$0 fix jobs/demo.yaml output/demo/rejects.csv --dry-run':
      'show what the corrections would cost',
    '$0 fix jobs/demo.yaml --list': 'list the stored corrections',
    '$0 fix jobs/demo.yaml --drop 73ca9e02022778dd': "use the row's own value again",
  },
  async facts(
    args,
    terminal,
  ): Promise<
    | { facts: object; notes?: readonly string[]; plan?: Awaited<ReturnType<typeof planned>> }
    | undefined
  > {
    refuseMixture(args);
    if (args.list) {
      const job = readPastJob(args.job, args);
      const facts = {
        job: job.name,
        file: requireCorrectionsPath(job),
        ...(await listCorrections(job)),
      };
      return { facts } satisfies { facts: z.input<typeof FixListJson> };
    }
    if (args.drop) return { facts: await dropped(readPastJob(args.job, args), args, terminal) };
    return await asRun({ ...args, isFix: true }, terminal, async (perform) => {
      const { file, dryRun } = args;
      const job = readJobToRun(args.job, args);
      const path = requireCorrectionsPath(job);
      if (file === undefined && readCorrections(path).length === 0) {
        throw usage('fix needs a corrected rejects file: no correction is stored yet');
      }
      const read = async () => (file === undefined ? undefined : await readFixing(job, file));
      if (!dryRun) {
        return await perform(job, async () => {
          const fixing = await read();
          if (!fixing) return await keepEditedRejects(job);
          await keepCorrections(job, fixing.corrections);
          return notesOf(fixing, path);
        });
      }
      const fixing = await read();
      const facts = {
        file: path,
        corrections: fixing?.corrections ?? [],
        again: fixing?.again ?? 0,
        refused: fixing?.refused ?? [],
        unknown: fixing?.unknown ?? [],
        matched: fixing?.matched ?? 0,
        ignored: Object.fromEntries(fixing?.ignored ?? []),
      } satisfies Omit<z.input<typeof FixPlanJson>, 'plan'>;
      const notes = fixing ? notesOf(fixing, path) : [];
      const plan = await planned(job, terminal, fixing?.kept ?? readCorrections(path));
      return { facts, notes, plan };
    });
  },
  json: ({ facts, plan }) => (plan ? { ...facts, plan: plan.found } : facts),
  text: ({ facts, notes = [], plan }, page, args) =>
    plan
      ? [...notes.flatMap((note) => page.wrap(note)), '', ...planText(plan, page, args)]
      : page.facts(facts),
});

/** `2 new corrections for leads.fixed.jsonl; 1 was stored before.` */
function notesOf(
  { corrections, again, notes }: Awaited<ReturnType<typeof readFixing>>,
  path: string,
): string[] {
  const added = `${counted(corrections.length, 'new correction')} for ${fromHere(path)}`;
  const known = again > 0 ? `; ${counted(again, 'was', 'were')} stored before` : '';
  const cells = corrections.map(
    ({ row_key, column, was, now }) =>
      `${row_key}, ${column}: ${JSON.stringify(was)} → ${JSON.stringify(now)}`,
  );
  return [`${added}${known}.`, ...cells, ...notes];
}

function refuseMixture({ list, drop, all, file, dryRun }: Given) {
  if ([list, drop, file ?? dryRun].filter(Boolean).length > 1) {
    throw usage(
      'use only one of --list, --drop and a file; --dry-run cannot be used with --list or --drop',
    );
  }
  if (all && !drop) throw usage('--all only works with --drop');
  if (drop && drop.length > 0 === all) throw usage('--drop needs either row keys or --all');
}

async function dropped(
  job: ResolvedJob,
  { job: given, all, drop: keys = [], ...flags }: Given,
  terminal: Terminal,
): Promise<z.input<typeof FixDropJson>> {
  const file = requireCorrectionsPath(job);
  const known = readCorrections(file).map(({ row_key }) => row_key);
  const unknown = keys.filter((key) => !known.includes(key));
  if (unknown.length > 0) throw usage(`${file} has no correction for ${quoted(unknown)}`);
  const gone = await dropCorrections(job, ({ row_key }) => all || keys.includes(row_key));
  if (gone.dropped.length > 0)
    terminal.next(`To look up these rows again:\n  ${commandLine('run', [given], flags)}`);
  return { job: job.name, file, ...gone };
}

const quoted = (texts: readonly string[]) => texts.map((one) => JSON.stringify(one)).join(', ');
