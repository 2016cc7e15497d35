import { companyColumns } from '../../core/columns/table-columns.ts';
import { type RejectCode, rejectCatalog } from '../../core/identify/identifier.ts';
import { foundNothing } from '../../core/rules/outcomes.ts';
import type { Manifest } from '../../results/manifest.ts';
import type { ChangeTally } from '../../results/tally/change-tally.ts';
import { mostSampledRows, type RowSample } from '../../results/tally/row-sample.ts';
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

/** The service has a message for each of these rows. */
const saysMore = ['refused_by_service', 'oversized', 'service_failed'];

/** Reads a row with a reason; undefined if it is gone. */
export type ExampleOf = (row: number) =>
  | {
      readonly row: number;
      /** The first cells of the row. */
      readonly input: string;
      /** The identifier that was looked up. */
      readonly cell: string | null;
      readonly message: string | null;
    }
  | undefined;

/** A reason with what is wrong and what to do, in sentences. */
export function explainReason(tally: ReasonTally, exampleOf: ExampleOf = () => undefined) {
  const { status, reason, rows } = tally;
  const known = isRejectCode(reason) ? rejectCatalog[reason] : otherReasons[reason];
  const examples = tally.examples.flatMap((row) => exampleOf(row) ?? []);
  return {
    status,
    reason,
    rows,
    message: known?.message ?? examples[0]?.message ?? '',
    fix: known?.fix ?? '',
    examples: examples.map(({ message, ...example }) => ({
      ...example,
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

/** How often each field is filled, in the groups of the interface. */
export function groupCoverage(filled: readonly number[]) {
  const fields = companyColumns.flatMap(({ path, description: about }, index) =>
    // The last column holds what the interface does not name.
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

/** The rows that the page shows. If there are too many, each class gets an equal part of the room. */
export function chooseRows(sample: RowSample, most = mostSampledRows): number[] {
  const smallestFirst = Object.values(sample).sort((one, other) => one.length - other.length);
  const chosen: number[] = [];
  for (const [index, rows] of smallestFirst.entries()) {
    const part = Math.floor((most - chosen.length) / (smallestFirst.length - index));
    chosen.push(...rows.slice(0, part));
  }
  return chosen.sort((one, other) => one - other);
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
  /** A number becomes part of the title. */
  const adding =
    (level: Attention['level']) =>
    (
      when: number | boolean,
      [one, many = '']: readonly [one: string, many?: string],
      advice: string,
      section: Attention['section'] = null,
    ) => {
      const title = typeof when === 'number' ? counted(when, one, many) : one;
      if (when) found.push({ level, title, advice, section });
    };
  const problem = adding('problem');
  const notice = adding('notice');
  const damaged = reasons
    .filter(({ reason }) => reason === 'damaged_answer')
    .reduce((sum, reason) => sum + reason.rows, 0);
  const worst = reasons.find(({ status }) => status === 'invalid');
  const goOn = 'Run the same command again to go on. Answers are not paid twice.';
  problem(
    facts.held !== null,
    ['The result is held: it is not what was expected'],
    'If it is right, `dossier export <job> --accept` publishes it. If not, the next good run replaces it.',
  );
  problem(
    rows.total === 0,
    ['The list has no rows'],
    'The result is empty. Check that the job reads the right file, sheet and header row.',
  );
  problem(!facts.complete, ['The run has not finished'], goOn);
  problem(
    rows.failed - damaged,
    ['row failed after all attempts', 'rows failed after all attempts'],
    'Run the job again: it looks up only what failed.',
    'reasons',
  );
  problem(rows.open, ['row was not looked up yet', 'rows were not looked up yet'], goOn, 'rows');
  problem(
    rows.stale,
    ['row shows an older answer', 'rows show older answers'],
    facts.complete
      ? 'The service failed, or did not find them this time. A later run looks them up again.'
      : 'They were not looked up again yet; `stale` is true for them in the files.',
    'rows',
  );
  problem(
    damaged,
    ['stored answer is damaged', 'stored answers are damaged'],
    'Left out of the files. Run the job again to fetch them.',
    'reasons',
  );
  problem(
    facts.failedSearches,
    ['people search failed', 'people searches failed'],
    'Run the job again: it repeats only these searches.',
  );
  problem(
    possiblyCharged,
    [
      'call may have been charged without an answer',
      'calls may have been charged without an answer',
    ],
    'An earlier process died before they were answered; `dossier status` lists them.',
  );
  notice(
    foundNothing(rows),
    ['No row found its company'],
    'Is this the right service, country and column? Try `dossier lookup` with a company that you know.',
    'reasons',
  );
  notice(
    mismatches,
    ['row got a company with another identifier', 'rows got a company with another identifier'],
    'It may be a rename, a parent or a mistake. Filter the rows by Mismatch and check them.',
    'rows',
  );
  notice(
    facts.incompleteSearches,
    ['people search may have left people out', 'people searches may have left people out'],
    'They reached maxPerCompany, or the service has more than it sent. `people_complete` is false for their companies.',
  );
  notice(
    worst ? rows.invalid : 0,
    ['row cannot be looked up as written', 'rows cannot be looked up as written'],
    `Most often: ${worst?.message} ${worst?.fix}`,
    'reasons',
  );
  notice(
    facts.corrections,
    ['correction applied to the list', 'corrections applied to the list'],
    'Rows are shown as fixed; `dossier fix <job> --list` lists the cells.',
  );
  return found;
}

function counted(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
