import { z } from 'zod';
import { type ChangeOp, everyChangeOp } from '../core/columns/compare-records.ts';
import type { RecordedChange } from '../core/columns/table-columns.ts';
import { countOrNull, string, stringOrNull, strings, timeOrNull } from '../core/values/fields.ts';
import { formatMinute, formatNumber } from '../core/values/format.ts';
import { jsonText } from '../core/values/json-text.ts';
import { withLedgerErrorsAsync } from '../engine/ledger/file/ledger-path.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import { readUnlessPruned, refusePrunedSince } from '../engine/runs/choose-run.ts';
import { chooseRuns, openToCompare } from '../facts/choose-runs.ts';
import { readExclusions } from '../lists/read-suppressed.ts';
import { compareRuns } from '../results/compare-runs.ts';
import { createChangeTally, inFull, type SampledChange } from '../results/tally/change-tally.ts';
import { readPastJob } from '../run/jobs/read-job.ts';
import { changesText, changeText } from '../run/run-words.ts';
import { command } from './parts/command.ts';
import { duration, jobFlags, ranJobArgument, runNumber, usage } from './parts/options.ts';
import { openToLook } from './parts/read-ledger.ts';
import { sampleDataText } from './terminal/text.ts';

const cells = (about: string) => z.record(z.string(), z.unknown()).nullable().describe(about);

export const ChangeJson = z.strictObject({
  op: z.enum(everyChangeOp).describe('What happened.'),
  row_key: string('Row key. For a person: key of the first row with the company.'),
  row_number: countOrNull(
    'Number of the row in the later run. For a removed row: in the earlier run.',
  ),
  company_id: stringOrNull('Company in the later run; if there is none, in the earlier run.'),
  company_name: stringOrNull('Name of the company.'),
  country: stringOrNull('Country of the lookup.'),
  person_id: stringOrNull('Person id; null if the change is about a row.'),
  columns: strings('Columns that differ; empty for a new or removed record.'),
  before: cells(
    'Old values of the columns in `columns`. For a removed record: all filled columns.',
  ),
  after: cells('New values of the columns in `columns`. For a new record: all filled columns.'),
  before_fetched_at: timeOrNull('When the earlier answer arrived.'),
  after_fetched_at: timeOrNull('When the later answer arrived.'),
  since_run: string('The earlier run.'),
  run: string('The later run.'),
});

function changeLine(change: RecordedChange) {
  const facts: Readonly<Record<string, unknown>> = { ...change };
  const names = Object.keys(ChangeJson.shape);
  return jsonText(Object.fromEntries(names.map((name) => [name, facts[camelCased(name)]])));
}

function camelCased(name: string) {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

async function* changeLines(changes: Iterable<RecordedChange>) {
  for (const change of changes) yield changeLine(change);
}

export const changes = command({
  options: {
    job: ranJobArgument,
    from: runNumber('The earlier run, such as r29 (default: the previous complete run)'),
    to: runNumber('The later run, such as r30 (default: the newest complete run)'),
    since: duration('Compare with the newest run that is at least this old, such as 7d'),
    ...jobFlags('ledger'),
  },
  examples: {
    '$0 changes jobs/demo.yaml': 'compare with the previous run',
    '$0 changes jobs/demo.yaml --since 7d': 'compare with a week ago',
    '$0 changes jobs/demo.yaml --from r29 --to r30 --json': 'compare two runs, as JSON',
  },
  jsonHelp: 'Print one JSON object per line',
  async facts({ json, ...args }, terminal) {
    if (args.since !== undefined && args.from !== undefined) {
      throw usage('--since and --from cannot be combined');
    }
    const job = readPastJob(args.job, { ledger: args.ledger });
    return await withLedgerErrorsAsync(job.ledger, async () => {
      await using look = await openToLook(job);
      using ledger = openToCompare({ ...job, ledger: look.path });
      const { exclusions } = await readExclusions(job);
      const wanted = { from: args.from, to: args.to, sinceMs: args.since };
      const { base, run, notes } = chooseRuns(ledger, job.name, wanted, Date.now());
      terminal.note(...sampleDataText(run), ...notes);
      if (!base) return undefined;
      const found = compareRuns(ledger.records(exclusions), { base, run }, job);
      const tally = createChangeTally(inFull);
      await readUnlessPruned(ledger, [base, run], async () => {
        if (json) await terminal.lines(changeLines(found));
        else for (const change of found) tally.add(change);
      });
      refusePrunedSince(ledger, [base, run]);
      return json ? undefined : { base, run, tally: tally.facts() };
    });
  },
  text({ base, run, tally }, page) {
    const kinds = order.filter((op) => tally.counts[op]);
    return [
      ...page.wrap(`${run.job}: ${runName(base)} → ${runName(run)}`, '', 'bold'),
      ...page.wrap(`${endOf(base)} → ${endOf(run)}`, '', 'dim'),
      // A single kind is named by its own heading.
      ...(kinds.length === 1
        ? []
        : ['', ...page.wrap(kinds.length === 0 ? 'Nothing changed.' : changesText(tally.counts))]),
      ...kinds.flatMap((op) => {
        const samples = tally.samples.filter((sample) => sample.op === op);
        const number = tally.counts[op] ?? 0;
        const more = number - samples.length;
        // A longer key pushes its first line to the right.
        const width = Math.min(24, Math.max(...samples.map(({ rowKey }) => rowKey.length)) + 4);
        return [
          '',
          page.bold(changeText(op, number)),
          ...samples.flatMap((sample) =>
            linesOf(sample).flatMap((line, at) =>
              page.field(at === 0 ? `  ${sample.rowKey}  ` : '', line, width),
            ),
          ),
          ...(more > 0 ? [`  and ${formatNumber(more)} more: use --json`] : []),
        ];
      }),
    ];
  },
});

/** Changes that may need action come first. */
const order: readonly ChangeOp[] = [
  'company_lost',
  'company_replaced',
  'service_changed',
  'company_found',
  'company_changed',
  'person_joined',
  'person_left',
  'person_changed',
  'row_added',
  'row_removed',
];

function endOf({ finishedAt, startedAt }: Run) {
  return formatMinute(finishedAt ?? startedAt);
}

/** Each change has its own line, so a name from right to left cannot swap its values. */
function linesOf({ op, name, nameBefore, reason, person, fields }: SampledChange): string[] {
  const company = [nameBefore, name].filter((one) => one !== undefined).join(' → ');
  const changed = op.endsWith('_changed') ? fields : [];
  return [
    [company, person, reason].filter(Boolean).join(', ') || '(no name)',
    ...changed.map(
      ({ column, before, after }) => `${column}: ${before || 'nothing'} → ${after || 'nothing'}`,
    ),
  ];
}
