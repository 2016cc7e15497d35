import { DossierError } from '../../errors.ts';
import { readings } from '../../identify/identifier.ts';
import { changeIdentify, changeJobText, type JobChange } from '../../job/file/change-job-text.ts';
import { withoutFindings } from '../../job/from-list/draft-job.ts';
import { parseJob, readText } from '../../job/load-job.ts';
import { resolveJob } from '../../job/resolve-job.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { ListFindings } from '../../overview/lists/inspect-list.ts';
import { writeFileAtomically } from '../../runtime/files/atomic-file.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import type { JobChoices } from '../api/list-read.ts';
import { jobFileOf } from '../lists/draft-beside.ts';
import { inspectSampled } from '../lists/look-at-list.ts';
import { takeSample } from '../lists/take-sample.ts';

/** Choices that are made at the same time are written one after the other. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Writes what the user has chosen into the job file, which a bare list gets now, and gives its path. What
 * would not be a job is refused, and the file stays as it was.
 */
export function changeJob(path: string, choices: JobChoices): Promise<string> {
  const changed = last.then(() => change(path, choices));
  last = changed.catch(() => {});
  return changed;
}

async function change(path: string, choices: JobChoices): Promise<string> {
  const file = await jobFileOf(path);
  const before = readText(file);
  let text = changeJobText(before, changesOf(choices));
  if (choices.identify) text = changeIdentify(text, identifyOf(choices.identify));
  const job = resolved(file, text);
  if (isReadAnew(choices)) text = await withFoundColumns(text, job);
  resolved(file, text);
  if (text !== before) await writeFileAtomically(file, text);
  return file;
}

function resolved(file: string, text: string): ResolvedJob {
  const { env } = process;
  const loaded = parseJob(file, text, env);
  return resolveJob(loaded, { flags: { url: sampleData }, env, cwd: process.cwd() });
}

function isReadAnew({ sheet, headerRow, delimiter, encoding }: JobChoices): boolean {
  return [sheet, headerRow, delimiter, encoding].some((choice) => choice !== undefined);
}

/** A list that is read in another way may have other columns; those that it lacks are found anew. */
async function withFoundColumns(text: string, job: ResolvedJob): Promise<string> {
  const { address, path, options } = job.input;
  const sample = await takeSample(address ?? path, options);
  const has = (column: string) => sample.header.includes(column);
  const { identify = [], country } = job;
  const isThere =
    identify.every(({ column }) => has(column)) &&
    (country.column === undefined || has(country.column)) &&
    (job.input.key ?? []).every(has);
  if (isThere && identify.length > 0) return withoutFindings(text);
  const found = await inspectSampled(sample);
  const changed = changeJobText(text, foundChanges(found, country.default));
  return withoutFindings(changeIdentify(changed, [...found.columns.identify]));
}

function foundChanges({ columns, key }: ListFindings, country: string): JobChange[] {
  return [
    countryChange({ column: columns.country?.column ?? null, default: country }),
    { path: ['input', 'key'], value: key },
  ];
}

function identifyOf(wanted: NonNullable<JobChoices['identify']>) {
  if (wanted.length === 0) {
    throw new DossierError(
      'JOB_INVALID',
      'a job needs a column to find companies by: choose another one before you take this away',
    );
  }
  return wanted.map(({ column, as }) => ({
    column,
    as: readings.find((reading) => reading === as) ?? 'auto',
  }));
}

function changesOf(choices: JobChoices): JobChange[] {
  const { sheet, headerRow, delimiter, encoding, country, key, perStart, price, people } = choices;
  const plain = (path: readonly string[], value: string | number | null | undefined) =>
    value === undefined ? [] : [{ path, value: value ?? undefined }];
  return [
    ...plain(['input', 'sheet'], sheet),
    // A row that names the columns and none at all contradict each other.
    ...(headerRow ? [{ path: ['input', 'header'], value: undefined }] : []),
    ...plain(['input', 'headerRow'], headerRow),
    ...plain(['input', 'delimiter'], delimiter),
    ...plain(['input', 'encoding'], encoding),
    ...plain(['input', 'key'], key),
    ...(country ? [countryChange(country)] : []),
    ...plain(['budget', 'perStart'], perStart),
    ...priceChanges(price),
    ...peopleChanges(people),
  ];
}

function countryChange(country: NonNullable<JobChoices['country']>): JobChange {
  const { column, default: name } = country;
  return { path: ['country'], value: column === null ? name : { column, default: name } };
}

function priceChanges(price: JobChoices['price']): JobChange[] {
  if (price === undefined) return [];
  if (price === null) return [{ path: ['service', 'price'], value: undefined }];
  return (['company', 'people', 'currency'] as const).map((part) => ({
    path: ['service', 'price', part],
    value: price[part],
  }));
}

function peopleChanges(people: JobChoices['people']): JobChange[] {
  if (people === undefined) return [];
  if (people === null) return [{ path: ['people'], value: undefined }];
  const { seniority, department, maxPerCompany } = people;
  const names = (list: readonly string[]) => (list.length === 0 ? undefined : [...list]);
  return [
    // First, so that the group is there when the others are taken out.
    { path: ['people', 'maxPerCompany'], value: maxPerCompany },
    { path: ['people', 'seniority'], value: names(seniority) },
    { path: ['people', 'department'], value: names(department) },
  ];
}
