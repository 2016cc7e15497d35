import type { Country } from '../../../core/contract/countries.ts';
import type { Identified } from '../../../core/identify/identifier.ts';
import { identifyRow, judgeValue, type ValueVerdict } from '../../../core/identify/identify-row.ts';
import { type Correction, correctionsOf } from '../../../job/corrections.ts';
import { findCorrections } from '../../../run/corrections.ts';
import type { CellVerdict, TypedCell } from '../api/fixes.ts';
import type { FixableRow } from '../rows/read-page.ts';
import { type ReadColumns, readingOf } from './fixes.ts';

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
  const answer = (kind: CellVerdict['kind'], words: Partial<CellVerdict>, kept?: Correction) => ({
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
): Pick<CellVerdict, 'text' | 'fix'> {
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
