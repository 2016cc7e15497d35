import { styleText } from 'node:util';
import { z } from 'zod';
import { type measureLedger, type Part, parts } from '../../ledger/care/measure-ledger.ts';
import { isLookupSlot } from '../../ledger/file/locks.ts';
import { SnapshotJson } from '../../overview/status/snapshot-json.ts';
import { bytesText, counted, fromHere, minuteOf, shortened, widthOf } from '../terminal/text.ts';

const count = (description: string) => z.int().nonnegative().describe(description);
const time = (description: string) => z.iso.datetime().nullable().describe(description);

const bytesOf: Readonly<Record<Part, string>> = {
  answers: 'Answers and their bodies, compressed.',
  calls: 'What was asked.',
  aliases: 'Identifiers by which answered companies are found.',
  rows: 'Lists, rows and what became of them.',
  runs: 'Runs, their calls and people searches.',
  other: 'Anything else.',
  free: 'Free room inside the file, which later runs fill.',
};

/** What `ledger info --json` prints. */
export const LedgerInfoJson = z.strictObject({
  ledger: z.string().describe('The ledger that was read.'),
  fileBytes: count('Size of the file.'),
  logBytes: count("Size of SQLite's log beside it, which is part of the ledger."),
  bytes: z.strictObject(
    Object.fromEntries(parts.map((part) => [part, count(bytesOf[part])])) as Record<Part, z.ZodInt>,
  ),
  answers: count('Answers that are stored.'),
  calls: count('Questions that were asked or planned to be.'),
  aliases: count('Identifiers of answered companies.'),
  rows: count('Rows that are stored.'),
  runs: count('Runs of jobs.'),
  lookups: count('Times that `dossier lookup` was used.'),
  oldestAnswerAt: time('When the oldest answer came.'),
  newestAnswerAt: time('When the newest answer came.'),
  jobs: z.array(
    z.strictObject({
      job: z.string().describe('Name of the job.'),
      runs: count('Its runs.'),
      pruned: count('Those of them whose rows were removed.'),
      oldestRunAt: z.iso.datetime().describe('When its oldest run started.'),
      newestRunAt: z.iso.datetime().describe('When its newest run started.'),
    }),
  ),
  snapshot: SnapshotJson.nullable().describe(
    'Its snapshots, where the job that was named has any; else null.',
  ),
});
export type LedgerInfoJson = z.output<typeof LedgerInfoJson>;

export function infoJson({
  path,
  fileBytes,
  logBytes,
  bytes,
  counts,
  ...size
}: ReturnType<typeof measureLedger>) {
  const jobs = size.jobs.filter(({ job }) => !isLookupSlot(job));
  const runs = jobs.reduce((sum, job) => sum + job.runs, 0);
  return {
    ledger: path,
    ...{ fileBytes, logBytes, bytes },
    ...{ ...counts, runs, lookups: counts.runs - runs },
    oldestAnswerAt: isoTime(size.oldestAnswerAt),
    newestAnswerAt: isoTime(size.newestAnswerAt),
    jobs: jobs.map(({ oldestRunAt, newestRunAt, ...job }) => ({
      ...job,
      oldestRunAt: new Date(oldestRunAt).toISOString(),
      newestRunAt: new Date(newestRunAt).toISOString(),
    })),
  } satisfies Omit<LedgerInfoJson, 'snapshot'>;
}

function isoTime(wallMs: number | null): string | null {
  return wallMs === null ? null : new Date(wallMs).toISOString();
}

/** The same for people: what takes how much room, largest first, and the jobs. */
export function infoText(info: LedgerInfoJson, stream: NodeJS.WriteStream): string {
  const width = widthOf(stream);
  const log = info.logBytes > 0 ? `, and ${bytesText(info.logBytes)} of log beside it` : '';
  const title = `${fromHere(info.ledger)}: ${bytesText(info.fileBytes)}${log}`;
  const lines = [
    styleText('bold', shortened(title, width), { stream }),
    '',
    ...roomLines(info),
    '',
    ...answerLines(info),
    ...info.jobs.map(({ job, runs, pruned, oldestRunAt, newestRunAt }) => {
      const since = `${minuteOf(Date.parse(oldestRunAt))} to ${minuteOf(Date.parse(newestRunAt))}`;
      const gone = pruned === 0 ? '' : ` (${pruned.toLocaleString('en')} pruned)`;
      return shortened(`${job}: ${counted(runs, 'run', 'runs')}${gone}, ${since}`, width);
    }),
    ...(info.lookups > 0 ? [counted(info.lookups, 'lookup', 'lookups')] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function roomLines({ bytes, ...info }: LedgerInfoJson): string[] {
  const all = Math.max(
    1,
    Object.values(bytes).reduce((sum, some) => sum + some, 0),
  );
  const facts: Partial<Record<Part, string>> = {
    answers: counted(info.answers, 'answer', 'answers'),
    calls: counted(info.calls, 'call', 'calls'),
    aliases: counted(info.aliases, 'identifier', 'identifiers'),
    rows: counted(info.rows, 'row', 'rows'),
    runs: counted(info.runs, 'run', 'runs'),
    free: 'filled by later runs; `dossier ledger prune` gives it back',
  };
  return parts
    .filter((part) => bytes[part] > 0)
    .toSorted((one, other) => bytes[other] - bytes[one])
    .map((part) => {
      const share = `${Math.round((100 * bytes[part]) / all)}%`;
      const room = `${part.padEnd(9)}${bytesText(bytes[part]).padStart(9)}${share.padStart(6)}`;
      return `  ${room}   ${facts[part] ?? ''}`.trimEnd();
    });
}

function answerLines({ oldestAnswerAt, newestAnswerAt }: LedgerInfoJson): string[] {
  if (oldestAnswerAt === null || newestAnswerAt === null) return ['No answer is stored yet.'];
  const [oldest, newest] = [Date.parse(oldestAnswerAt), Date.parse(newestAnswerAt)];
  return [`Answers of ${minuteOf(oldest)} to ${minuteOf(newest)}.`];
}
