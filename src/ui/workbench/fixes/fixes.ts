import { inputColumns } from '../../../core/columns/table-columns.ts';
import type { Country } from '../../../core/contract/countries.ts';
import { DossierError } from '../../../core/errors.ts';
import type { Identified } from '../../../core/identify/identifier.ts';
import { identifyRow, judgeValue, type ValueVerdict } from '../../../core/identify/identify-row.ts';
import { openLedgerToRead } from '../../../engine/ledger/open-ledger.ts';
import { type Correction, correctionsOf, readCorrections } from '../../../job/corrections.ts';
import { jobFingerprint } from '../../../job/job-fingerprint.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { findCorrections, readingOf as lookedUpAs, readListed } from '../../../run/corrections.ts';
import { openJobToRead } from '../../overview/jobs.ts';
import type { TypedCell } from '../api.ts';
import type { FixableRow } from '../rows/read-page.ts';

/** The columns of a list as the last run has read it, and what they are read as. */
type ReadColumns = ReturnType<typeof readColumns>;

export function readColumns(job: ResolvedJob, keys: readonly string[] = []) {
  return readListed(job, new Set(), [...keys]);
}

/** What of the list can be fixed, and what has been. */
export function readFixes(job: ResolvedJob) {
  const since = lastReading(job);
  return {
    /** Columns that rows are looked up by; none where no run has read the list yet. */
    columns: since === undefined ? [] : fixable(readColumns(job)),
    corrections: readCorrections(job.corrections).map(
      ({ row_key: key, column: header, was, now, at }) => {
        // A run has read the list since it was fixed.
        const isLookedUp = since !== undefined && Date.parse(at) <= since;
        return { key, header, was, now, isLookedUp };
      },
    ),
  };
}

/** Corrections that no run has read yet. */
export function notLookedUp(job: ResolvedJob): Correction[] {
  const since = lastReading(job) ?? Number.NEGATIVE_INFINITY;
  return readCorrections(job.corrections).filter(({ at }) => Date.parse(at) > since);
}

/** When the newest run that has read the whole list began to; a try of some rows says nothing of others. */
function lastReading({ ledger: path, name }: ResolvedJob): number | undefined {
  using ledger = openLedgerToRead(path);
  const runs = ledger?.runs.list(name) ?? [];
  return runs.find(({ state, rowLimit }) => state !== 'ingesting' && rowLimit === null)?.startedAt;
}

/** `name` is that of the table, `input_website`; `header` is the list's own. */
function fixable({ columns, plan }: ReadColumns) {
  const { index: country } = plan.country;
  const indexes = plan.identify.map(({ index }) => index).concat(country ?? []);
  const names = inputColumns(columns).map(({ name }) => name);
  return indexes.map((index) => ({ name: names[index] ?? '', header: columns[index] ?? '' }));
}

/** What a column is read as. Only columns that rows are looked up by can be fixed. */
function readingOf({ columns, plan }: ReadColumns, header: string) {
  const index = columns.indexOf(header);
  const as = lookedUpAs(index, plan);
  if (as !== undefined) return { index, as };
  const message = `rows are not looked up by ${JSON.stringify(header)}`;
  throw new DossierError('USAGE', message);
}

/** Whether the unfinished run of a job only looks up fixed rows: `dossier run` would begin another one instead. */
export function isFixUnfinished(path: string): boolean {
  const job = { ...openJobToRead(path, {}), keepsOutcomes: true };
  using ledger = openLedgerToRead(job.ledger);
  const newest = ledger?.runs.newest(job.name);
  return newest?.state === 'open' && newest.jobFingerprint === jobFingerprint(job);
}

/** Judges a cell as `dossier fix` would judge it in a rejects file that holds this cell alone. */
export function judgeCell(
  { header, value }: TypedCell,
  { number, key, status, cells: shown }: FixableRow,
  read: ReadColumns,
  /** Corrections of the rows with this key. */
  kept: readonly Correction[],
) {
  const { index, as } = readingOf(read, header);
  const { own } = correctionsOf(kept, key, read.columns, shown);
  /** With the corrections that its run has not read yet. */
  const cells = read.columns.map((column, at) => {
    const cell = shown[at] ?? '';
    return own.find((one) => one.column === column && one.was === cell)?.now ?? cell;
  });
  const file = { columns: [header], rows: [{ key, cells: [value], line: number }] };
  const rows = new Map([[key, { cells, isMatched: status === 'matched' }]]);
  const found = findCorrections({ ...file, encoding: undefined }, { ...read, rows }, own);
  const verdict = judgeValue(value, as);
  const meaning = meaningOf(value, verdict, read.plan.country.default);
  /**
   * `good`: it would be kept. `same`: it means what the cell means already. `back`: it is what the list holds, so that
   * nothing is left to fix. `refused`: it cannot be looked up, either.
   */
  type Kind = 'good' | 'same' | 'back' | 'refused';
  const answer = (kind: Kind, words: Partial<typeof meaning>, kept?: Correction) => ({
    verdict: { ...meaning, kind, ...words },
    cell: { row_key: key, column: header },
    /** What is to be kept, where the verdict is `good`. */
    correction: kept,
  });
  const [refused] = found.refused;
  if (refused) {
    const fix = 'reject' in verdict ? verdict.fix : null;
    return answer('refused', { text: refused.message, fix });
  }
  if (found.matched > 0) {
    const text = 'The row has a company already, so there is nothing to fix.';
    return answer('refused', { text, fix: null });
  }
  const [correction] = found.corrections;
  if (correction || found.again > 0) {
    const { reject } = identifyRow(cells.with(index, value.trim()), read.plan);
    // Another cell may keep the row from being looked up: a good domain does not help a wrong country.
    const fix = reject ? `The row is still rejected for another cell: ${reject.message}` : null;
    return answer(correction ? 'good' : 'same', { fix }, correction);
  }
  const isBack = own.some(({ column, was }) => column === header && was.trim() === value.trim());
  return answer(isBack ? 'back' : 'same', {});
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });

/** What a value means, in a line: `57 961 803 396: ABN, check digits right`. */
function meaningOf(
  value: string,
  verdict: ValueVerdict,
  byDefault: Country,
): { readonly text: string; readonly fix: string | null } {
  if ('reject' in verdict) {
    // A wrong value may be taken away where the row has another.
    if (value.trim() === '')
      return { text: 'Empty: the row is looked up by another cell.', fix: null };
    return { text: verdict.message, fix: verdict.fix };
  }
  if ('country' in verdict) {
    const { country } = verdict;
    const text = country
      ? `${country}: ${countryNames.of(country)}`
      : `Empty: the default applies, ${countryNames.of(byDefault)}`;
    return { text, fix: null };
  }
  return { text: identifiedText(verdict.identified), fix: null };
}

function identifiedText({ kind, value, derivedFrom }: Identified): string {
  if (derivedFrom === 'acn') return `ACN, check digits right: looked up as ABN ${grouped(value)}`;
  if (kind === 'abn') return `${grouped(value)}: ABN, check digits right`;
  return `${value}: ${kindWords[kind]}`;
}

const kindWords: Readonly<Record<Exclude<Identified['kind'], 'abn'>, string>> = {
  fqdn: 'domain',
  website: 'website',
  ln_slug: 'network page',
  ln_url: 'network address',
  id: 'id of the service',
};

/** `57961803396 → 57 961 803 396` */
function grouped(abn: string): string {
  return abn.replace(/^(\d{2})(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4');
}
