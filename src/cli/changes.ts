import { z } from 'zod';
import { type ChangeOp, changeOps } from '../core/columns/compare-records.ts';
import type { RecordedChange } from '../core/columns/table-columns.ts';
import { jsonText } from '../core/runtime/json/json-text.ts';
import { tellingTrouble } from '../engine/ledger/file/ledger-path.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import { readUnlessPruned, refusePrunedSince } from '../engine/queue/choose-run.ts';
import { compareRuns } from '../results/changes.ts';
import { openChangeTally, type SampledChange } from '../results/tally/change-tally.ts';
import { readLeftOut } from '../run/open-run.ts';
import { howToCompare } from '../run/write-outputs.ts';
import { chooseRuns, openToCompare } from '../ui/overview/changes.ts';
import { openRanJob } from '../ui/overview/jobs.ts';
import { command } from './command.ts';
import { duration, jobFlags, ranJob, runNumber, usage } from './options.ts';
import { changeWords, listChanges, totalChanges } from './run/run-texts.ts';
import { openToLook } from './snapshot.ts';
import type { Page } from './terminal/page.ts';
import { counted, formatNumber, minuteOf, sampleDataText, shortened } from './terminal/text.ts';

const cells = (about: string) => z.record(z.string(), z.unknown()).nullable().describe(about);

/** What `changes --json` prints, one a line. */
export const ChangeJson = z
  .strictObject({
    op: z.enum(changeOps).describe('What happened.'),
    row_key: z
      .string()
      .describe('Key of the row; of a person, of the first row that led to the company.'),
    row_number: z
      .int()
      .nullable()
      .describe('Number of that row in the later run; of a removed row, in the earlier one.'),
    company_id: z.string().nullable().describe('The company of the row, or the one that it had.'),
    company_name: z.string().nullable().describe('Its name.'),
    country: z.string().nullable().describe('Country that was asked about.'),
    person_id: z.string().nullable().describe('The person; null where a row changed.'),
    columns: z
      .array(z.string())
      .describe('Columns that differ; none where a whole record came or went.'),
    before: cells('What they held, by name; all filled ones of a record that is gone.'),
    after: cells('What they hold now; all filled ones of a record that is new.'),
    before_fetched_at: z.iso.datetime().nullable().describe('When the earlier answer arrived.'),
    after_fetched_at: z.iso.datetime().nullable().describe('When the later answer arrived.'),
    since_run: z.string().describe('The earlier run.'),
    run: z.string().describe('The later run.'),
  })
  .meta({ id: 'ChangeJson' });

/** One line; the values of before and after are JSON, and not text that holds JSON. */
function changeLine(change: RecordedChange): string {
  const facts: Readonly<Record<string, unknown>> = { ...change };
  const names = Object.keys(ChangeJson.shape);
  return jsonText(Object.fromEntries(names.map((name) => [name, facts[camelCased(name)]])));
}

/** `row_key → rowKey` */
function camelCased(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

async function* changeLines(changes: Iterable<RecordedChange>) {
  for (const change of changes) yield changeLine(change);
}

/** Changes of one kind on a terminal, so that the kinds stay in sight together. */
const shownOfOp = 10;

export const changes = command({
  options: {
    job: ranJob,
    from: runNumber('The earlier run, such as r29 (default: the complete one before)'),
    to: runNumber('The later run, such as r30 (default: the newest complete one)'),
    since: duration('Compare with the run that was newest this long ago, such as 7d'),
    ...jobFlags('ledger'),
  },
  examples: {
    '$0 changes jobs/demo.yaml': 'since the run before',
    '$0 changes jobs/demo.yaml --since 7d': 'within a week',
    '$0 changes jobs/demo.yaml --from r29 --to r30 --json': 'for scripts',
  },
  jsonHelp: 'Print one JSON object a line',
  async facts({ json, ...args }, terminal) {
    if (args.since !== undefined && args.from !== undefined) {
      throw usage('--since and --from both name the earlier run: give one of them');
    }
    const job = openRanJob(args.job, { ledger: args.ledger });
    return await tellingTrouble(job.ledger, async () => {
      await using look = await openToLook(job);
      using ledger = openToCompare({ ...job, ledger: look.path });
      ledger.records.leaveOut((await readLeftOut(job)).leftOut);
      const wanted = { from: args.from, to: args.to, sinceMs: args.since };
      const { base, run, notes } = chooseRuns(ledger, job.name, wanted, Date.now());
      terminal.note(...sampleDataText(run.service), ...notes);
      if (!base) return undefined;
      const found = compareRuns(ledger, { base, run }, howToCompare(job));
      const tally = openChangeTally(shownOfOp);
      await readUnlessPruned(ledger, [base, run], async () => {
        if (json) await terminal.lines(changeLines(found));
        else for (const change of found) tally.add(change);
      });
      refusePrunedSince(ledger, [base, run]);
      return json ? undefined : { base, run, tally: tally.facts() };
    });
  },
  /** The counts, and then the first changes of each kind. */
  text({ base, run, tally }, page) {
    const total = totalChanges(tally.counts);
    const most = tally.fields.toSorted((one, other) => other.count - one.count).slice(0, 5);
    const names = most.map(({ column, count }) => `${column} (${formatNumber(count)})`);
    const kinds = order.flatMap((op) => {
      const samples = tally.samples.filter((sample) => sample.op === op);
      if (samples.length === 0) return [];
      const keyWidth = Math.min(20, Math.max(...samples.map(({ rowKey }) => rowKey.length)));
      const more = tally.counts[op] - samples.length;
      return [
        '',
        page.bold(counted(tally.counts[op], ...changeWords[op])),
        ...samples.flatMap((sample) => sampleLines(sample, keyWidth, page)),
        ...(more > 0 ? [`  and ${formatNumber(more)} more`] : []),
      ];
    });
    return [
      ...page.wrap(`${run.job}: ${runName(base)} → ${runName(run)}`, '', 'bold'),
      ...page.wrap(`${endOf(base)} → ${endOf(run)}`, '', 'dim'),
      '',
      ...page.wrap(total === 0 ? 'Nothing has changed.' : `${listChanges(tally.counts)}.`),
      ...(names.length < 2 ? [] : page.wrap(`Changed most: ${names.join(', ')}.`)),
      ...kinds,
    ];
  },
});

/** What could need a hand comes first. */
const order: readonly ChangeOp[] = [
  'company_lost',
  'company_replaced',
  'company_found',
  'company_changed',
  'person_joined',
  'person_left',
  'person_changed',
  'row_added',
  'row_removed',
];

function endOf({ finishedAt, startedAt }: Run): string {
  return minuteOf(finishedAt ?? startedAt);
}

function sampleLines(sample: SampledChange, keyWidth: number, page: Page): string[] {
  const { op, rowKey, name, nameBefore, reason, person, fields, moreFields } = sample;
  const company = nameBefore === undefined ? name : `${nameBefore} → ${name}`;
  const about = `${company}${person ? `: ${person}` : ''}${reason ? ` (${reason})` : ''}`;
  const key = page.dim(shortened(rowKey, keyWidth).padEnd(keyWidth));
  const line = `  ${key}  ${shortened(about, page.width - keyWidth - 4)}`;
  if (op !== 'company_changed' && op !== 'person_changed') return [line];
  const half = Math.max(8, Math.floor(page.width / 2) - 20);
  const rows = fields.map(({ column, before, after }) => [
    column,
    [before, after].map((text) => shortened(text, half) || 'nothing').join(' → '),
  ]);
  return [
    line,
    ...page.table(rows, { indent: '    ' }),
    ...(moreFields > 0 ? [`    and ${moreFields} more columns`] : []),
  ];
}
