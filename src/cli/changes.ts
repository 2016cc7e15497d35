import { tellingTrouble } from '../ledger/file/ledger-trouble.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { changeLines } from '../overview/changes/change-json.ts';
import { chooseRuns, openToCompare } from '../overview/changes/choose-runs.ts';
import { openRanJob } from '../overview/jobs/open-job.ts';
import { readUnlessPruned, refusePrunedSince } from '../queue/published/choose-run.ts';
import { type ChangeOp, changeOps } from '../records/changes.ts';
import { compareRuns } from '../records/compare-runs.ts';
import { howToCompare } from '../run/write-outputs.ts';
import { openChangeTally, type SampledChange } from '../sinks/tally/change-tally.ts';
import { listChanges, totalChanges } from './changes/count-changes.ts';
import { command } from './command.ts';
import {
  duration,
  jobFlags,
  ranJob,
  runNumber,
  severalChoices,
  usage,
  wholeNumber,
} from './options.ts';
import { openToLook } from './snapshot.ts';
import type { Page } from './terminal/page.ts';
import { formatNumber, minuteOf, sampleDataText, shortened } from './terminal/text.ts';

/** Changes of one kind on a terminal, so that the kinds stay in sight together. */
const shownOfOp = 10;

export const changes = command({
  options: {
    job: ranJob,
    from: runNumber('The earlier run, such as r29 (default: the complete one before)'),
    to: runNumber('The later run, such as r30 (default: the newest complete one)'),
    since: duration('Compare with the run that was newest this long ago, such as 7d'),
    op: severalChoices(`Only these changes; may be repeated: ${changeOps.join(', ')}`, changeOps),
    limit: wholeNumber(
      `Show this many of each kind (default: ${shownOfOp}, all with --json)`,
      [1, 1_000_000],
    ),
    ...jobFlags('ledger'),
  },
  examples: {
    '$0 changes jobs/demo.yaml': 'since the run before',
    '$0 changes jobs/demo.yaml --since 7d --op company_lost': 'lost within a week',
    '$0 changes jobs/demo.yaml --from r29 --to r30 --json': 'for scripts',
  },
  jsonHelp: 'Print one JSON object a line',
  async facts({ op: ops = [], limit, json, ...args }, terminal) {
    if (args.since !== undefined && args.from !== undefined) {
      throw usage('--since and --from both name the earlier run: give one of them');
    }
    const job = openRanJob(args.job, { ledger: args.ledger });
    return await tellingTrouble(job.ledger, async () => {
      await using look = await openToLook(job);
      using ledger = openToCompare({ ...job, ledger: look.path });
      const wanted = { from: args.from, to: args.to, sinceMs: args.since };
      const { base, run, note } = chooseRuns(ledger, job.name, wanted, Date.now());
      for (const text of sampleDataText(run.service)) terminal.note(text);
      if (note !== undefined) terminal.note(note);
      if (!base) return undefined;
      const found = compareRuns(ledger, { base, run }, howToCompare(job));
      const tally = openChangeTally(limit ?? shownOfOp);
      await readUnlessPruned(ledger, [base, run], async () => {
        if (json) await terminal.lines(changeLines(found, { ops, limit }));
        else for (const change of found) tally.add(change);
      });
      refusePrunedSince(ledger, [base, run]);
      return json ? undefined : { base, run, tally: tally.facts(), ops };
    });
  },
  /** The counts, and then the first changes of each kind. */
  text({ base, run, tally, ops }, page) {
    const total = totalChanges(tally.counts);
    const most = tally.fields.toSorted((one, other) => other.count - one.count).slice(0, 5);
    const names = most.map(({ column, count }) => `${column} (${formatNumber(count)})`);
    const kinds = titles.flatMap(([op, title]) => {
      const samples = tally.samples.filter((sample) => sample.op === op);
      if ((ops.length > 0 && !ops.includes(op)) || samples.length === 0) return [];
      const keyWidth = Math.min(20, Math.max(...samples.map(({ rowKey }) => rowKey.length)));
      const more = tally.counts[op] - samples.length;
      return [
        ...['', page.bold(title)],
        ...samples.flatMap((sample) => sampleLines(sample, keyWidth, page)),
        ...(more > 0 ? [`  and ${formatNumber(more)} more`] : []),
      ];
    });
    return [
      page.bold(`${run.job}: ${runName(base)} → ${runName(run)}`),
      page.dim(`${endOf(base)} → ${endOf(run)}`),
      '',
      ...page.wrap(total === 0 ? 'Nothing has changed.' : `${listChanges(tally.counts)}.`),
      ...(names.length < 2 ? [] : page.wrap(`Changed most: ${names.join(', ')}.`)),
      ...kinds,
    ];
  },
});

/** The kinds of changes as people look for them, with what could need a hand first. */
const titles: readonly (readonly [ChangeOp, string])[] = [
  ['company_lost', 'Lost'],
  ['company_replaced', 'Replaced'],
  ['company_found', 'Found'],
  ['company_changed', 'Changed'],
  ['person_joined', 'Joined'],
  ['person_left', 'Left'],
  ['person_changed', 'People changed'],
  ['row_added', 'New in the list'],
  ['row_removed', 'Gone from the list'],
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
