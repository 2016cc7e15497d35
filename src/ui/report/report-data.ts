import { companyColumns } from '../../core/columns/table-columns.ts';
import { type RejectCode, rejectCatalog } from '../../core/identify/identifier.ts';
import { foundNothing } from '../../core/rules/outcomes.ts';
import { counted } from '../../core/values/format.ts';
import type { KindUse } from '../../facts/lookup-use.ts';
import type { Manifest, WrittenFacts } from '../../results/manifest.ts';
import type { ChangeTally } from '../../results/tally/change-tally.ts';
import type { RowSample } from '../../results/tally/row-sample.ts';
import type { ReasonTally, RunTally } from '../../results/tally/run-tally.ts';
import { runNouns } from '../../run/run-words.ts';
import { valueWords } from '../words/labels.ts';
import { groupOf, labelOf } from '../workbench/rows/shown-columns.ts';
import type { ReportTable } from './report-rows.ts';

/** The JSON inside report.html. */
export interface ReportData extends Manifest {
  readonly hasPeople: boolean;
  /** `AUD 14.40` or `9 calls, price not set`; empty if nothing was charged. */
  readonly paid: string;
  readonly paidByAll: string;
  readonly foundNothing: boolean;
  readonly attention: ReturnType<typeof findAttention>;
  readonly insight: Insight;
  readonly lookups: readonly KindUse[];
  readonly table: ReportTable;
  readonly peopleTable: ReportTable | null;
}

export type Insight = ReturnType<typeof gatherInsight>;
export type ReasonFacts = ReturnType<typeof explainReason>;
export type ChangesInsight = ReturnType<typeof gatherChanges>;

export function gatherInsight(
  tally: RunTally,
  { changes, files }: WrittenFacts,
  exampleOf: ExampleOf,
) {
  const { company, mismatches } = tally;
  const fileOf = (...wanted: string[]) =>
    wanted.flatMap((table) => files.filter((file) => file.table === table))[0]?.name ??
    `the ${wanted[0]} files`;
  return {
    reasons: tally.reasons
      .toSorted((one, other) => other.rows - one.rows)
      .map((reason) => explainReason(reason, exampleOf)),
    /** The base of all field percentages. */
    companies: company.companies,
    mismatches,
    peopleFile: fileOf('people', 'workbook'),
    changes:
      changes.since === null
        ? null
        : gatherChanges(tally.changes, changes.since, fileOf('changes')),
    coverage: groupCoverage(company.filled),
    rowsFile: fileOf('companies', 'workbook'),
  };
}

/** As many as fit on one screen. */
const mostFields = 12;

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
    fields: most.slice(0, mostFields).map(({ column, count, examples }) => ({
      count,
      column: labelOf(column),
      examples: examples.map(({ name, before, after }) => ({
        name,
        before: valueWords(column, before),
        after: valueWords(column, after),
      })),
    })),
    otherFields: Math.max(0, most.length - mostFields),
    /** `fields` already counts changes of fields. */
    samples: samples.filter(({ op }) => !op.endsWith('_changed')),
  };
}

const lookupReasons: Readonly<Record<string, { message: string; fix: string }>> = {
  not_found: {
    message: 'The service has no company with this identifier.',
    fix: 'Check the spelling, or add a column with a second identifier, which is looked up if the first is not found.',
  },
  refused_by_service: {
    message: 'The service does not accept this identifier.',
    fix: "Read the service's message, correct the row and run the job again.",
  },
  kind_not_taken: {
    message: 'The service does not take this kind of identifier, so nothing was looked up.',
    fix: 'Add a column with another identifier.',
  },
  oversized: {
    message: 'The answer is too large to store.',
    fix: 'Report the large answer to the service provider. It was paid for, so the row is looked up again only when the time in `reuse.misses` has passed.',
  },
  unreadable: {
    message: 'The adapter finds no company in the answer.',
    fix: 'Correct the adapter. The next run reads the kept answers again, free of charge.',
  },
  service_failed: {
    message: 'The service gave no usable answer in any attempt.',
    fix: 'Run the job again: it looks up only the failed rows.',
  },
  name_not_found: {
    message: 'No active company in the register has this name.',
    fix: 'Write an ABN into the cell of the name. `suggestions` has the closest names.',
  },
  name_ambiguous: {
    message: 'Several companies in the register may be meant.',
    fix: 'Write the ABN of the right one into the cell of the name. `suggestions` has them.',
  },
  abn_cancelled: {
    message: 'The ABN is cancelled in the register.',
    fix: 'Nothing to do. `skipCancelled` saves the lookup. If the company goes on under another ABN, write that one into the cell.',
  },
  suppressed: {
    message: 'The row or its company is suppressed.',
    fix: "Nothing to do. The job's `suppress` or `dossier forget` leaves the row out.",
  },
  expired: {
    message: 'The answer is older than `retain.companies` allows.',
    fix: 'Run the job again to fetch a new answer.',
  },
  damaged_answer: {
    message: 'The stored answer is damaged.',
    fix: 'Run the job again to fetch a new answer.',
  },
};

/** Rows with one of these codes each have their own message, so the examples show it. */
const saysMore = [
  'refused_by_service',
  'kind_not_taken',
  'name_not_found',
  'name_ambiguous',
  'abn_cancelled',
  'oversized',
  'unreadable',
  'service_failed',
];

export type ExampleOf = (row: number) =>
  | {
      readonly row: number;
      /** A few cells by which the reader recognises the row. */
      readonly rowText: string;
      readonly identifier: string | null;
      readonly message: string | null;
    }
  | undefined;

export function explainReason(tally: ReasonTally, exampleOf: ExampleOf) {
  const { status, reason, rows } = tally;
  const known = isRejectCode(reason) ? rejectCatalog[reason] : lookupReasons[reason];
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

export function groupCoverage(filled: readonly number[]) {
  const fields = companyColumns.flatMap(({ name, path, description: about }, index) =>
    // Only `company_extra` has no path. It is not a field.
    path.length === 0
      ? []
      : [{ group: groupOf(path), name: labelOf(name), about, filled: filled[index] ?? 0 }],
  );
  return [...Map.groupBy(fields, ({ group }) => group)].map(([name, some]) => ({
    name,
    fields: some,
  }));
}

/** If there are too many rows, each outcome gets an equal share. */
export function chooseRows(sample: RowSample, most: number): number[] {
  const smallestFirst = Object.values(sample).sort((one, other) => one.length - other.length);
  const chosen: number[] = [];
  for (const [index, rows] of smallestFirst.entries()) {
    const part = Math.floor((most - chosen.length) / (smallestFirst.length - index));
    chosen.push(...rows.slice(0, part));
  }
  return chosen.sort((one, other) => one - other);
}

type AttentionFacts = Pick<
  Manifest,
  | 'rows'
  | 'complete'
  | 'held'
  | 'corrections'
  | 'failedSearches'
  | 'incompleteSearches'
  | 'warnings'
> &
  Pick<Insight, 'reasons' | 'mismatches'> & {
    readonly possiblyCharged: number;
    /** Why an unfinished run stopped; empty if unknown. */
    readonly why?: string;
    /** True if the files are in a separate folder, because a complete result exists. */
    readonly isAside?: boolean;
  };

/** Problems come before notices. */
export function findAttention(facts: AttentionFacts) {
  return [...atLevel('problem', problemsIn(facts)), ...atLevel('notice', noticesIn(facts))];
}

/** If `when` is a number, the title begins with it. */
type Point = readonly [
  when: number | boolean,
  title: readonly [one: string, many?: string],
  advice: string,
  section?: 'reasons' | 'rows',
];

function atLevel(level: 'problem' | 'notice', points: readonly Point[]) {
  return points
    .filter(([when]) => when)
    .map(([when, [one, many], advice, section = null]) => {
      const title = typeof when === 'number' ? counted(when, one, many) : one;
      return { level, title, advice, section };
    });
}

const goOn = 'Run the same command again to continue. Answers are not paid for twice.';

function problemsIn({ rows, why, isAside, ...facts }: AttentionFacts): Point[] {
  const damaged = facts.reasons
    .filter(({ reason }) => reason === 'damaged_answer')
    .reduce((sum, reason) => sum + reason.rows, 0);
  return [
    [
      facts.held !== null,
      ["The result is held: it failed the job's checks"],
      'If the result is right, `dossier export <job> --accept` publishes it. If not, the next good run replaces it.',
    ],
    [
      rows.total === 0,
      ['The list has no rows'],
      'The result is empty. Check that the job reads the right file, sheet and header row.',
    ],
    [
      !facts.complete,
      ['The run did not finish'],
      [
        why && `It stopped: ${why}.`,
        isAside && 'These files are in a separate folder; the last complete result is unchanged.',
        goOn,
      ]
        .filter(Boolean)
        .join(' '),
    ],
    [
      rows.failed - damaged,
      ['row failed after all attempts', 'rows failed after all attempts'],
      'Run the job again: it looks up only the failed rows.',
      'reasons',
    ],
    [
      rows.open,
      ['row has not been looked up yet', 'rows have not been looked up yet'],
      goOn,
      'rows',
    ],
    [
      rows.stale,
      runNouns.stale,
      facts.complete
        ? 'The service failed, or did not find these companies this time. A later run looks them up again.'
        : 'These rows have not been looked up again yet. In `dossier ui`, filter the rows by Stale.',
      'rows',
    ],
    [
      damaged,
      ['stored answer is damaged', 'stored answers are damaged'],
      'Damaged answers are left out of the files. Run the job again to fetch new answers.',
      'reasons',
    ],
    [
      facts.failedSearches,
      runNouns.failedSearches,
      'Run the job again: it repeats only these searches.',
    ],
    [
      facts.possiblyCharged,
      runNouns.possiblyCharged,
      'An earlier process died before the answers arrived; `dossier status` lists these calls.',
    ],
  ];
}

const warningAdvice = 'Ask the provider of the service or the list what has changed.';

function noticesIn({ rows, ...facts }: AttentionFacts): Point[] {
  const worst = facts.reasons.find(({ status }) => status === 'invalid');
  return [
    ...facts.warnings.map(({ message }): Point => [true, [message], warningAdvice]),
    [
      foundNothing(rows),
      ['No company was found for any row'],
      'Check the service, the country and the columns. Try `dossier lookup` with a company that you know.',
      'reasons',
    ],
    [
      facts.mismatches,
      [
        'row was matched to a company with a different identifier',
        'rows were matched to a company with a different identifier',
      ],
      'The cause may be a rename, a parent company or a mistake. In `dossier ui`, filter the rows by Mismatch and check them.',
      'rows',
    ],
    [
      facts.incompleteSearches,
      runNouns.incompleteSearches,
      'These searches reached the limit of people per company, or the service has more people than it sent. Their companies have “no” in the column “People complete”.',
    ],
    [
      worst ? rows.invalid : 0,
      ['row cannot be looked up as written', 'rows cannot be looked up as written'],
      `Most often: ${worst?.message} ${worst?.fix}`,
      'reasons',
    ],
    [
      facts.corrections,
      ['correction applied to the list', 'corrections applied to the list'],
      'Rows show the corrected values; `dossier fix <job> --list` lists the cells.',
    ],
  ];
}
