import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { inputColumns } from '../../core/columns/table-columns.ts';
import type { Country } from '../../core/contract/countries.ts';
import { kindName, registerKinds } from '../../core/contract/identifier-kinds.ts';
import { DossierError } from '../../core/errors.ts';
import type { Identified } from '../../core/identify/identifier.ts';
import { identifyRow, identifyValue, type ValueVerdict } from '../../core/identify/identify-row.ts';
import { openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import {
  type Correction,
  correctionsOf,
  putCorrections,
  readCorrections,
  unnumbered,
} from '../../job/corrections.ts';
import { jobFingerprint } from '../../job/job-fingerprint.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { findCorrections, readingOf as lookedUpAs, readListed } from '../../run/fix/read-fixing.ts';
import { keepCorrections } from '../../run/fix/stored-corrections.ts';
import { readJobToRun } from '../../run/jobs/read-job.ts';
import { countryName } from '../words/labels.ts';
import { mostCellsPerRequest } from '../words/limits.ts';
import type { CellVerdict, Fixes } from './api/answers.ts';
import { TypedCell } from './api/requests.ts';
import { findJob, jobPathIn } from './find-job.ts';
import type { FixableRow } from './rows/read-page.ts';
import { mostBodyBytes, sourceOf } from './rows/row-routes.ts';
import type { Tables } from './rows/serve-tables.ts';

const Cells = z.strictObject({ cells: z.array(TypedCell).min(1).max(mostCellsPerRequest) });

export function addFixRoutes(api: FastifyInstance, tables: Tables): void {
  const jobOf = (query: unknown) => findJob(jobPathIn(query));
  const check = async (query: unknown, cells: readonly TypedCell[]) => {
    const job = jobOf(query);
    const numbers = [...new Set(cells.map(({ number }) => number))];
    const found = await tables.ask('fixable', { source: await sourceOf(query), query: numbers });
    const rows = new Map(found.rows.map((row) => [row.number, row]));
    const keys = found.rows.map(({ key }) => key);
    const read = readListed(job, new Set(), keys);
    if (found.columns.some((header, at) => header !== read.columns[at])) {
      const message = `the columns of the list have changed since ${found.run}`;
      throw new DossierError('FIX_NEEDS_RUN', message);
    }
    const keyOf = ({ row_key }: Correction) => unnumbered(row_key);
    const corrections = Map.groupBy(readCorrections(job.corrections), keyOf);
    return cells.map((cell) => {
      const row = rows.get(cell.number);
      if (!row) throw new DossierError('RUN_MISSING', `${found.run} has no row ${cell.number}`);
      const ofKey = corrections.get(unnumbered(row.key)) ?? [];
      const checked = checkFix(cell, row, read, ofKey);
      // The next cell of the row is checked together with this one.
      if (checked.correction)
        corrections.set(unnumbered(row.key), putCorrections(ofKey, [checked.correction]));
      return checked;
    });
  };

  api.get('/fixes', (request) => readFixes(jobOf(request.query)));
  api.post('/fixes/verdict', async (request) => {
    const [checked] = await check(request.query, [TypedCell.parse(request.body)]);
    return checked?.verdict;
  });
  api.put('/fixes', { bodyLimit: mostBodyBytes }, async (request) => {
    const job = jobOf(request.query);
    const checked = await check(request.query, Cells.parse(request.body).cells);
    const corrections = checked.flatMap(({ correction }) => correction ?? []);
    const dropped = checked.flatMap(({ takenBack }) => takenBack);
    if (corrections.length + dropped.length > 0) await keepCorrections(job, corrections, dropped);
    return checked.map(({ verdict }) => verdict);
  });
}

type Listed = ReturnType<typeof readListed>;

function readFixes(job: ResolvedJob): Fixes {
  const since = lastReading(job);
  return {
    columns: since === undefined ? [] : fixable(readListed(job, new Set())),
    corrections: readCorrections(job.corrections).map(
      ({ row_key: key, column: header, was, now, at }) => {
        const isLookedUp = since !== undefined && Date.parse(at) <= since;
        return { key, header, was, now, isLookedUp };
      },
    ),
  };
}

/** A trial does not count: it did not read all rows. */
function lastReading({ ledger: path, name }: ResolvedJob) {
  using ledger = openLedgerToRead(path);
  return ledger?.runs.newestWhole(name)?.startedAt;
}

function fixable({ columns, plan }: Listed) {
  const { index: country } = plan.country;
  const indexes = [
    ...plan.identify.map(({ index }) => index),
    ...[plan.name?.index ?? [], country ?? []].flat(),
  ];
  const names = inputColumns(columns).map(({ name }) => name);
  return indexes.map((index) => ({
    name: names[index] ?? '',
    header: columns[index] ?? '',
    isName: index === plan.name?.index,
    isCountry: index === country,
  }));
}

function readingOf({ columns, plan }: Listed, header: string) {
  const index = columns.indexOf(header);
  const as = lookedUpAs(index, plan);
  if (as !== undefined) return { index, as };
  const message = `rows are not looked up by ${JSON.stringify(header)}`;
  throw new DossierError('USAGE', message);
}

/** True if the newest run is an unfinished `dossier fix`, which only `dossier fix` can continue. */
export function isFixUnfinished(path: string): boolean {
  const job = readJobToRun(path, {});
  using ledger = openLedgerToRead(job.ledger);
  const newest = ledger?.runs.newest(job.name);
  return newest?.state === 'open' && newest.jobFingerprint === jobFingerprint(job, true);
}

/** Same rules as `dossier fix` with a rejects file that has only this cell. */
function checkFix(
  { header, value }: TypedCell,
  { number, key, status, cells: shown }: FixableRow,
  read: Listed,
  corrections: readonly Correction[],
) {
  const { index, as } = readingOf(read, header);
  const { made } = correctionsOf(corrections, key, read.columns, shown);
  /** With all corrections, even those that no run has read yet. */
  const cells = read.columns.map((column, at) => {
    const cell = shown[at] ?? '';
    return made.find((one) => one.column === column && one.was === cell)?.now ?? cell;
  });
  const row = { key, cells: [value], line: number };
  const rejectsFile = { columns: [header], rows: [row], encoding: undefined };
  const rows = new Map([[key, { cells, isMatched: status === 'matched' }]]);
  const found = findCorrections(rejectsFile, { ...read, rows }, made);
  const isRefused = found.refused.length > 0;
  const meaning = meaningOf(value, identifyValue(value, as), isRefused, read.plan.country.default);
  const { reject } = identifyRow(cells.with(index, value.trim()), read.plan);
  const undone = made.filter(({ column, was }) => column === header && was.trim() === value.trim());
  const verdict = verdictOn(found, meaning, reject?.message, undone.length > 0);
  return {
    verdict: { ...verdict, before: cells[index] ?? '' },
    correction: found.corrections[0],
    takenBack: verdict.kind === 'back' ? undone : [],
  };
}

interface Meaning {
  readonly text: string;
  readonly fix: string | null;
  /** The value that was certainly meant. */
  readonly meant?: string | undefined;
}

function verdictOn(
  { refused, matched, corrections, again }: ReturnType<typeof findCorrections>,
  meaning: Meaning,
  /** Why the row would be rejected with the typed value. */
  rejection: string | undefined,
  /** The typed value is the one in the list. */
  isBack: boolean,
): Omit<CellVerdict, 'before'> {
  if (refused.length > 0) return { ...meaning, kind: 'refused' };
  if (matched > 0) {
    const text = 'This row already has a company, so there is nothing to correct.';
    return { text, fix: null, kind: 'refused' };
  }
  const isGood = corrections.length > 0;
  if (!isGood && again === 0) return { ...meaning, kind: isBack ? 'back' : 'same' };
  const fix =
    rejection === undefined
      ? null
      : `The row is still rejected because of another cell: ${rejection}`;
  return { ...meaning, fix, kind: isGood ? 'good' : 'same' };
}

/** `57 961 803 396: ABN, check digits right` */
function meaningOf(
  value: string,
  verdict: ValueVerdict,
  isRefused: boolean,
  byDefault: Country,
): Meaning {
  if ('reject' in verdict) {
    // A wrong value may be removed if the row has another identifier.
    if (value.trim() === '' && !isRefused)
      return { text: 'Empty: the row will be looked up by another cell.', fix: null };
    return { text: verdict.message, fix: verdict.fix, meant: verdict.meant };
  }
  if ('identified' in verdict) return { text: identifiedText(verdict.identified), fix: null };
  if ('name' in verdict) return { text: 'A company name, looked up in the register.', fix: null };
  const { country } = verdict;
  const text = country
    ? `${country}: ${countryName(country)}`
    : `Empty: the default country (${countryName(byDefault)}) applies`;
  return { text, fix: null };
}

function identifiedText({ kind, value, derivedFrom }: Identified) {
  if (derivedFrom === 'acn') return `valid ACN, looked up as ABN ${grouped(value)}`;
  const name = kindName(kind);
  if (registerKinds.includes(kind)) return `${grouped(value)}: ${name}, check digits right`;
  return `${value}: ${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

function grouped(number: string) {
  return number.replace(/^(\d{2})(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4');
}
