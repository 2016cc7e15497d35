import { companyColumns } from '../../core/columns/table-columns.ts';
import { type RejectCode, rejectCatalog } from '../../core/identify/identifier.ts';
import { foundNothing } from '../../core/rules/outcomes.ts';
import type { Manifest } from '../../results/manifest.ts';
import type { ChangeTally } from '../../results/tally/change-tally.ts';
import { mostSampledRows, type RowSample, rowClasses } from '../../results/tally/row-sample.ts';
import type { ReasonTally, RunTally } from '../../results/tally/run-tally.ts';
import type { readReportRows } from './report-rows.ts';

/** All that report.html shows, as the JSON inside it: the manifest, and what it does not hold. */
export interface ReportData extends Manifest {
  readonly hasPeople: boolean;
  /** What the calls cost, such as `AUD 14.40`; empty where the job has no price. */
  readonly paid: string;
  /** Why the run has not finished; empty where it has, or where that is not known. */
  readonly why: string;
  /** The files lie beside a complete result. */
  readonly isAside: boolean;
  readonly attention: readonly Attention[];
  readonly insight: Insight;
  /** The rows that the page holds, and all that its table needs. */
  readonly table: ReturnType<typeof readReportRows>;
}

export type Insight = ReturnType<typeof gatherInsight>;
export type ReasonFacts = ReturnType<typeof explainReason>;
export type ChangesInsight = ReturnType<typeof gatherChanges>;

/** Turns the tally of all rows and people into what the page shows. */
export function gatherInsight(
  tally: RunTally,
  { changes, files }: Pick<Manifest, 'changes' | 'files'>,
  hasPeople: boolean,
  exampleOf?: ExampleOf,
) {
  const { company, mismatches } = tally;
  const fileOf = (...wanted: string[]) =>
    wanted.flatMap((table) => files.filter((file) => file.table === table))[0]?.name ??
    `the ${wanted[0]} files`;
  return {
    reasons: tally.reasons
      // Of equal ones, the one that an earlier row has comes first.
      .toSorted((one, other) => other.rows - one.rows)
      .map((reason) => explainReason(reason, exampleOf)),
    /** Rows with a company, which shares of fields are shares of. */
    companies: company.companies,
    /** Companies among these that carry another identifier than was asked for. */
    mismatches,
    people: hasPeople ? tally.people : null,
    peopleFile: fileOf('people', 'workbook'),
    /** Null where there is no earlier run to compare with. */
    changes:
      changes.since === null
        ? null
        : gatherChanges(tally.changes, changes.since, fileOf('changes')),
    coverage: groupCoverage(company.filled),
    /** The file that has every row. */
    rowsFile: fileOf('companies', 'workbook'),
  };
}

/** A screen full; the files have all of them. */
const mostFields = 12;

/** The changes since an earlier run, and the file that has all of them. */
export function gatherChanges(
  { counts, fields, samples }: ChangeTally,
  since: string,
  file: string,
) {
  const most = fields.toSorted((one, other) => other.count - one.count);
  return {
    since,
    file,
    counts,
    fields: most.slice(0, mostFields),
    otherFields: Math.max(0, most.length - mostFields),
    /** The first of each kind, without those that `fields` show. */
    samples: samples.filter(({ op }) => !op.endsWith('_changed')),
  };
}

/** Reasons that only a lookup shows. */
const otherReasons: Readonly<Record<string, { message: string; fix: string }>> = {
  not_found: {
    message: 'The service knows no company under this identifier.',
    fix: 'Check the spelling, or add a column with another identifier to be tried next.',
  },
  refused_by_service: {
    message: 'The service does not accept this identifier.',
    fix: 'Read its message, fix the row and run the job again.',
  },
  oversized: {
    message: 'The answer is too large to keep.',
    fix: 'Report it to the service. It was paid for, so the next lookup comes after `reuse.misses`.',
  },
  service_failed: {
    message: 'The service gave no usable answer in any attempt.',
    fix: 'Run the job again: it looks up only what failed.',
  },
  suppressed: {
    message: 'The row or its company is suppressed.',
    fix: 'Nothing to do. `suppress` of the job, or `dossier forget`, leaves it out.',
  },
  expired: {
    message: 'The answer is older than `retain.companies` allows.',
    fix: 'Run the job again: it looks the company up anew.',
  },
  damaged_answer: {
    message: 'The stored answer is damaged.',
    fix: 'Run the job again to fetch it anew.',
  },
};

/** Their rows have something to tell that the reason alone does not. */
const saysMore = ['refused_by_service', 'oversized', 'service_failed'];

/** Reads a row that has a reason; undefined where it is gone. */
export type ExampleOf = (
  row: number,
  reason: string,
) =>
  | {
      readonly row: number;
      /** The first cells of the row. */
      readonly input: string;
      /** The rejected cell, as `ABN: 12 345`, or the identifier that was looked up. */
      readonly cell: string | undefined;
      readonly message: string | null;
    }
  | undefined;

/** A reason with what is wrong and what to do, in sentences. */
export function explainReason(tally: ReasonTally, exampleOf: ExampleOf = () => undefined) {
  const { status, reason, rows } = tally;
  const known = isRejectCode(reason) ? rejectCatalog[reason] : otherReasons[reason];
  const examples = tally.examples.flatMap((row) => exampleOf(row, reason) ?? []);
  return {
    status,
    reason,
    rows,
    message: known?.message ?? examples[0]?.message ?? '',
    fix: known?.fix ?? '',
    examples: examples.map(({ message, ...example }) => ({
      ...example,
      /** What the service said about this very row. */
      message: saysMore.includes(reason) ? message : null,
    })),
  };
}

function isRejectCode(reason: string): reason is RejectCode {
  return Object.hasOwn(rejectCatalog, reason);
}

const groupNames: Readonly<Record<string, string>> = {
  social_media: 'Social media',
  industry_codes: 'Registers and industry codes',
  reviews_rating: 'Reviews',
  web_traffic: 'Web traffic',
  technographics: 'Technology',
};

/** How often each field of the interface is filled, in the groups in which the interface has them. */
export function groupCoverage(filled: readonly number[]) {
  const fields = companyColumns.flatMap(({ path, description: about }, index) =>
    // The last column is ours: it holds what the interface does not name.
    path.length === 0 ? [] : [{ path, about, filled: filled[index] ?? 0 }],
  );
  return [...Map.groupBy(fields, ({ path }) => groupOf(path))].map(([name, some]) => ({
    name,
    fields: some.map(({ path, ...field }) => ({ name: path.join('.'), ...field })),
  }));
}

/** `['name'] → Profile`, `['nextGen', 'web_traffic', 'summary', …] → Web traffic` */
export function groupOf(path: readonly string[]): string {
  const [first = '', second = ''] = path;
  const holder = first === 'nextGen' ? second : first;
  const isNested = path.length > (first === 'nextGen' ? 2 : 1);
  if (first === 'nextGen' && holder === 'social_media') return 'Social media in detail';
  return (isNested ? groupNames[holder] : undefined) ?? (first === 'nextGen' ? 'More' : 'Profile');
}

/**
 * The rows that the page shows: all where they are few. Otherwise each class gets an equal part,
 * and what one does not need goes to the others, troubles first.
 */
export function chooseRows(sample: RowSample, most = mostSampledRows): number[] {
  const taken = new Map(rowClasses.map((name) => [name, 0]));
  let room = most;
  for (;;) {
    const hungry = rowClasses.filter((name) => (taken.get(name) ?? 0) < sample[name].length);
    if (hungry.length === 0 || room === 0) break;
    const part = Math.max(1, Math.floor(room / hungry.length));
    for (const name of hungry) {
      const had = taken.get(name) ?? 0;
      const more = Math.min(part, room, sample[name].length - had);
      taken.set(name, had + more);
      room -= more;
    }
  }
  return rowClasses
    .flatMap((name) => sample[name].slice(0, taken.get(name)))
    .sort((one, other) => one - other);
}

/** Something that a person should know or do. */
interface Attention {
  readonly level: 'problem' | 'notice';
  readonly title: string;
  readonly advice: string;
  /** The section of the page that shows more. */
  readonly section: 'reasons' | 'rows' | null;
}

/** What a person should look at, the worst first. */
export function findAttention(
  {
    rows,
    ...facts
  }: Pick<
    Manifest,
    'rows' | 'complete' | 'held' | 'corrections' | 'failedSearches' | 'incompleteSearches'
  >,
  { reasons, mismatches }: Pick<Insight, 'reasons' | 'mismatches'>,
  possiblyCharged: number,
): Attention[] {
  const found: Attention[] = [];
  const adding =
    (level: Attention['level']) =>
    (isSo: boolean, title: string, advice: string, section: Attention['section'] = null) => {
      if (isSo) found.push({ level, title, advice, section });
    };
  const problem = adding('problem');
  const notice = adding('notice');
  const { failedSearches, incompleteSearches, corrections } = facts;
  const damaged = reasons
    .filter(({ reason }) => reason === 'damaged_answer')
    .reduce((sum, reason) => sum + reason.rows, 0);
  const failed = rows.failed - damaged;
  const worst = reasons.find(({ status }) => status === 'invalid');
  const goOn = 'Run the same command again to go on; what was answered is not paid twice.';
  const again = 'Run the job again: it looks up only what failed.';
  problem(
    facts.held !== null,
    'The result is held: it is not what was expected',
    'If it is right, `dossier export <job> --accept` publishes it. If not, the next good run takes its place.',
  );
  problem(
    rows.total === 0,
    'The list has no rows',
    'The result is empty. Check that the job reads the right file, sheet and header row.',
  );
  problem(!facts.complete, 'The run has not finished', goOn);
  problem(
    failed > 0,
    `${counted(failed, 'row', 'rows')} failed after all attempts`,
    again,
    'reasons',
  );
  problem(
    rows.open > 0,
    `${counted(rows.open, 'row was', 'rows were')} not looked up yet`,
    goOn,
    'rows',
  );
  problem(
    rows.stale > 0,
    counted(rows.stale, 'row shows an older answer', 'rows show older answers'),
    facts.complete
      ? 'The service failed, or did not find them this time. A later run looks them up again.'
      : 'They were not looked up again yet; `stale` is true for them in the files.',
    'rows',
  );
  problem(
    damaged > 0,
    `${counted(damaged, 'stored answer is', 'stored answers are')} damaged`,
    'Left out of the files. Run the job again to fetch them anew.',
    'reasons',
  );
  problem(
    failedSearches > 0,
    `${counted(failedSearches, 'people search', 'people searches')} failed`,
    'Run the job again: it repeats only these searches.',
  );
  problem(
    possiblyCharged > 0,
    `${counted(possiblyCharged, 'call', 'calls')} may have been charged without an answer`,
    'An earlier process died while it waited for them; `dossier status` lists them.',
  );
  notice(
    foundNothing(rows),
    `None of ${counted(rows.not_found, 'row', 'rows')} found its company`,
    'Is this the right service, country and column? `dossier lookup` looks up a company that you know.',
    'reasons',
  );
  notice(
    mismatches > 0,
    `${counted(mismatches, 'row', 'rows')} got a company with another identifier`,
    'It may be a rename, a parent or a mistake. Filter the rows by Mismatch and check them.',
    'rows',
  );
  notice(
    incompleteSearches > 0,
    `${counted(incompleteSearches, 'people search', 'people searches')} may have left people out`,
    'They reached maxPerCompany, or the service has more than it sent. `people_complete` is false for their companies.',
  );
  notice(
    rows.invalid > 0 && worst !== undefined,
    `${counted(rows.invalid, 'row cannot', 'rows cannot')} be looked up as written`,
    `Most often: ${worst?.message} ${worst?.fix}`,
    'reasons',
  );
  notice(
    corrections > 0,
    `${counted(corrections, 'correction', 'corrections')} applied to the list`,
    'Rows are shown as fixed; `dossier fix <job> --list` lists the cells.',
  );
  return found;
}

function counted(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
