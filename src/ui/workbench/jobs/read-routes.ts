import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pLimit from 'p-limit';
import { countries } from '../../../core/contract/countries.ts';
import { DossierError } from '../../../core/errors.ts';
import { columnReadings } from '../../../core/identify/identifier.ts';
import { counted } from '../../../core/values/format.ts';
import { sampleData } from '../../../engine/providers/providers.ts';
import { isWithin } from '../../../facts/folder.ts';
import { describeList, inspectSample, type ListSample } from '../../../facts/lists.ts';
import { readCorrections } from '../../../job/corrections.ts';
import { readText } from '../../../job/file/read-yaml-file.ts';
import {
  changeIdentify,
  changeJobText,
  type JobChange,
  withoutFindings,
} from '../../../job/from-list/draft-job.ts';
import { isJobPath } from '../../../job/from-list/job-name.ts';
import { parseJob } from '../../../job/load-job.ts';
import { resolveJob } from '../../../job/resolve-job.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { readIdentifierList } from '../../../lists/read-suppressed.ts';
import { writeFileAtomically } from '../../../platform/files/atomic-file.ts';
import { correctRows, keyOfLastRun } from '../../../run/fix/stored-corrections.ts';
import { readJobToRun } from '../../../run/jobs/read-job.ts';
import type { JobPeople, ListRead, MadeJob } from '../api/answers.ts';
import { JobChoices } from '../api/requests.ts';
import { accessOf, jobPathIn } from '../find-job.ts';
import { takeSample } from '../lists/look-at-list.ts';
import { jobFileOf, jobFileOfSheet } from './job-files.ts';

/** The page offers these; a job file may name any encoding of the web platform. */
const encodings = [
  ...['utf-8', 'windows-1252', 'utf-16le', 'utf-16be', 'macintosh', 'windows-1250'],
  ...['windows-1251', 'shift_jis', 'gb18030', 'big5', 'euc-kr'],
];

export function addReadRoutes(api: FastifyInstance): void {
  const writeInTurn = pLimit(1);
  api.get('/read', (request) => readList(request.query));
  api.patch('/job', async (request): Promise<MadeJob> => {
    const path = jobPathIn(request.query);
    const choices = JobChoices.parse(request.body);
    return { job: await writeInTurn(() => changeJob(path, choices)) };
  });
}

async function readList(query: unknown): Promise<ListRead> {
  const path = jobPathIn(query);
  const job = readJobToRun(path, {});
  const { input, reference } = job;
  if (input.path === '-') {
    throw new DossierError(
      'INPUT_UNREADABLE',
      `${path} reads standard input, which is not available on this page`,
    );
  }
  const asWritten = await takeSample(input.address ?? input.path, input.options);
  const sample = await corrected(job, asWritten);
  const reading = describeList(job, asWritten, sample, keyOfLastRun(job));
  const list = basename(input.path);
  const { sheet = null, headerRow = null, delimiter = null, encoding = null } = input.options;
  return {
    ...reading,
    // Users know the list by its name, not by its path.
    notes: reading.notes
      // The view itself shows a guessed encoding and a missing header.
      .filter((note) => !sample.guesses.includes(note))
      .map((note) => inPageWords(note.replaceAll(input.path, list))),
    rows: reading.rows.map((row) => ({ ...row, problem: row.problem && inPageWords(row.problem) })),
    job: path,
    isBare: !isJobPath(path),
    list,
    settings: {
      sheet,
      headerRow,
      delimiter,
      encoding,
      country: job.country.default as string,
      people: peopleOf(job),
    },
    names: {
      kinds: columnReadings.filter((kind) => kind !== 'name' || existsSync(job.register)),
      countries,
      encodings,
      seniority: Object.values(reference.seniority),
      department: Object.values(reference.department),
    },
    service: accessOf(job),
    guess: sample.guessedEncoding
      ? { name: sample.guessedEncoding, lines: accentedLines(sample) }
      : null,
  };
}

/** The page shows the list as the next run reads it. */
async function corrected(job: ResolvedJob, sample: ListSample): Promise<ListSample> {
  const { header: columns, format, sheet, guessedEncoding, rows, notes } = sample;
  const cells: ListSample['rows'][number]['cells'][] = [];
  const input = {
    columns,
    format,
    sheet,
    sizeBytes: undefined,
    bytesRead: () => 0,
    guessedEncoding: () => guessedEncoding,
    batches: (async function* () {
      yield rows;
    })(),
  };
  try {
    const corrections = readCorrections(job.corrections);
    if (corrections.length === 0) return sample;
    const { applied } = await correctRows(job, corrections, input, (some) => {
      cells.push(...some.map((row) => row.cells));
    });
    if (applied.length === 0) return sample;
    const note = `Corrections from “Fix” are shown in ${counted(applied.length, 'cell')}.`;
    return {
      ...sample,
      rows: rows.map((row, at) => ({ ...row, cells: cells[at] ?? row.cells })),
      notes: [...notes, note],
    };
  } catch (error) {
    // The view names missing columns itself, and the plan reports broken corrections.
    if (error instanceof DossierError) return sample;
    throw error;
  }
}

function accentedLines({ rows }: ListSample) {
  const lines = rows.map(({ cells }) =>
    cells.filter((cell) => /[^\0-\x7f]/.test(cell ?? '')).join(', '),
  );
  return lines.filter(Boolean).slice(0, 2);
}

function peopleOf({ people, reference }: ResolvedJob): JobPeople | null {
  if (!people) return null;
  const once = (of: 'seniority' | 'department' | 'position'): readonly string[] =>
    [...new Set(people.searches.map((search) => search[of]))].filter((id) => id !== undefined);
  return {
    seniority: once('seniority').map((id) => reference.seniority[id] ?? id),
    department: once('department').map((id) => reference.department[id] ?? id),
    positions: once('position'),
    maxPerCompany: people.maxPerCompany,
  };
}

function inPageWords(text: string) {
  return text
    .replaceAll('--header-row or input.headerRow', '“Header row”')
    .replaceAll('--encoding or input.encoding', '“Encoding”');
}

/** Throws before the file is changed if the job would be invalid. */
async function changeJob(path: string, choices: JobChoices) {
  const first = await jobFileOf(path);
  const file = choices.sheet ? await jobFileOfSheet(first, choices.sheet) : first;
  const before = readText(file);
  let text = changeJobText(before, changesOf(choices));
  if (choices.identify) text = changeIdentify(text, identifyOf(choices.identify));
  const { sheet, headerRow, delimiter, encoding } = choices;
  const isReadAnew = [sheet, headerRow, delimiter, encoding].some((choice) => choice !== undefined);
  if (isReadAnew) text = await withFoundColumns(file, text);
  const { suppress } = resolved(file, text);
  if (choices.suppress) {
    const known = resolved(file, before).suppress;
    suppress.forEach((list, at) => {
      if (!known.includes(list)) requireInFolder(list, choices.suppress?.[at]);
    });
    for (const list of suppress) await readIdentifierList(list, 'auto', () => {});
  }
  if (text !== before) await writeFileAtomically(file, text);
  return file;
}

/** One message for all other files: the page must not tell what is elsewhere on the machine. */
function requireInFolder(path: string, typed = path) {
  try {
    if (isWithin(process.cwd(), path)) return;
  } catch {}
  throw new DossierError('SUPPRESS_UNREADABLE', `${typed} is not a file in this folder`);
}

function resolved(file: string, text: string): ResolvedJob {
  const { env } = process;
  const loaded = parseJob(file, text, env);
  return resolveJob(loaded, { flags: { url: sampleData }, env, cwd: process.cwd() });
}

/** Detects the columns again if the list, as it is read now, lacks one that the job names. */
async function withFoundColumns(file: string, text: string) {
  const job = resolved(file, text);
  const { address, path, options, key = [] } = job.input;
  const hasRegister = existsSync(job.register);
  const list = inspectSample(await takeSample(address ?? path, options), undefined, hasRegister);
  const named = [...(job.identify ?? []), job.country].flatMap(({ column }) => column ?? []);
  if ([...named, ...key].every((name) => list.header.includes(name))) return withoutFindings(text);
  const { identify, country } = list.columns;
  const changed = changeJobText(text, [
    countryChange({ column: country?.column ?? null, default: job.country.default }),
    ...changesAt(['input', 'key'], list.key ?? null),
  ]);
  return withoutFindings(changeIdentify(changed, identify));
}

function identifyOf(wanted: NonNullable<JobChoices['identify']>) {
  if (wanted.length === 0) {
    throw new DossierError(
      'JOB_INVALID',
      'a job needs a column that identifies companies: choose another column before you remove this one',
    );
  }
  return wanted.map(({ column, as }) => ({
    column,
    as: columnReadings.find((reading) => reading === as) ?? 'auto',
  }));
}

/** Settings that are not at the top level of the job file. */
const groups: Readonly<Record<string, string>> = {
  sheet: 'input',
  delimiter: 'input',
  encoding: 'input',
  key: 'input',
  rate: 'limits',
  perStart: 'budget',
  perDay: 'budget',
  perMonth: 'budget',
  confirmAbove: 'budget',
  price: 'service',
};

function changesOf({ identify: _, headerRow, country, ...choices }: JobChoices): JobChange[] {
  return [
    ...(headerRow === undefined ? [] : headerChanges(headerRow)),
    ...(country ? [countryChange(country)] : []),
    ...Object.entries(choices).flatMap(([name, value]) =>
      changesAt([groups[name] ?? [], name].flat(), value),
    ),
  ];
}

function headerChanges(headerRow: number | null): JobChange[] {
  const input = headerRow === 0 ? { header: false, headerRow: null } : { header: null, headerRow };
  return changesAt(['input'], input);
}

function countryChange(country: NonNullable<JobChoices['country']>): JobChange {
  const { column, default: name } = country;
  return { path: ['country'], value: column === null ? name : { column, default: name } };
}

/** Null and an empty list remove the key from the job. */
function changesAt(path: readonly string[], value: unknown): JobChange[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return [{ path, value: value.length === 0 ? undefined : value }];
  if (typeof value !== 'object' || value === null)
    return [{ path, value: (value ?? undefined) as JobChange['value'] }];
  return Object.entries(value).flatMap(([part, inner]) => changesAt([...path, part], inner));
}
