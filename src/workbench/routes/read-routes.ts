import { basename } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { countries } from '../../contract/countries.ts';
import { DossierError } from '../../errors.ts';
import { readings } from '../../identify/identifier.ts';
import { isJobPath } from '../../job/from-list/job-for-file.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openJobToRead } from '../../overview/jobs/open-job.ts';
import { microsPerUnit } from '../../runtime/budget/money.ts';
import type { JobSettings, ListRead } from '../api/list-read.ts';
import type { MadeJob } from '../api/lists.ts';
import { changeJob } from '../jobs/change-job.ts';
import { requireShown } from '../jobs/find-job.ts';
import { serviceOf } from '../jobs/service-of.ts';
import { jobFileOf } from '../lists/draft-beside.ts';
import { describeSampled } from '../lists/look-at-list.ts';
import { inPageWords } from '../lists/page-words.ts';
import { takeSample } from '../lists/take-sample.ts';
import { OfJob } from './of-run.ts';
import { jsonOf } from './row-routes.ts';

const name = z.string().max(10_000);
/** Columns of a wide list that the page wants to see, in the address as JSON. */
const Reading = OfJob.extend({ columns: jsonOf(z.array(name).max(1_000)).default([]) });
const Choices = z.strictObject({
  sheet: name.nullable().exactOptional(),
  headerRow: z.int().nullable().exactOptional(),
  delimiter: name.nullable().exactOptional(),
  encoding: name.nullable().exactOptional(),
  identify: z
    .array(z.strictObject({ column: name, as: name }))
    .max(100)
    .exactOptional(),
  country: z.strictObject({ column: name.nullable(), default: name }).exactOptional(),
  key: name.nullable().exactOptional(),
  perStart: z.number().nullable().exactOptional(),
  price: z
    .strictObject({ company: z.number(), people: z.number(), currency: name })
    .nullable()
    .exactOptional(),
  people: z
    .strictObject({
      seniority: z.array(name).max(100),
      department: z.array(name).max(100),
      maxPerCompany: z.number(),
    })
    .nullable()
    .exactOptional(),
});

/** Encodings of lists that people have; a job file may name any other of the web platform. */
const encodings = [
  ...['utf-8', 'windows-1252', 'utf-16le', 'utf-16be', 'macintosh', 'windows-1250'],
  ...['windows-1251', 'shift_jis', 'gb18030', 'big5', 'euc-kr'],
];

/** Reading a list, and choosing what its columns are and what to ask. */
export function addReadRoutes(api: FastifyInstance): void {
  api.get('/read', async (request): Promise<ListRead> => {
    const { job: path, columns } = Reading.parse(request.query);
    requireShown(path);
    const job = openJobToRead(path, {});
    if (job.input.path === '-') {
      throw new DossierError(
        'INPUT_UNREADABLE',
        `${path} reads standard input, which a page does not have`,
      );
    }
    const place = job.input.address ?? job.input.path;
    const reading = await describeSampled(job, await takeSample(place, job.input.options), columns);
    const list = basename(job.input.path);
    return {
      ...reading,
      // The user knows the list by its name; the page says where it is.
      notes: reading.notes.map((note) => inPageWords(note.replaceAll(job.input.path, list))),
      rows: reading.rows.map((row) => ({
        ...row,
        problem: row.problem === null ? null : inPageWords(row.problem),
      })),
      job: path,
      isBare: !isJobPath(path),
      list,
      settings: settingsOf(job),
      names: {
        kinds: readings,
        countries,
        encodings,
        seniority: Object.values(job.reference.seniority),
        department: Object.values(job.reference.department),
      },
      service: serviceOf(job),
    };
  });
  api.patch('/job', async (request): Promise<MadeJob> => {
    const { job: path } = OfJob.parse(request.query);
    requireShown(path);
    return { job: await changeJob(path, Choices.parse(request.body)) };
  });
  // A list that is run from the page gets a job file, so that the terminal can go on with it.
  api.post('/job', async (request): Promise<MadeJob> => {
    const { job: path } = OfJob.parse(request.query);
    requireShown(path);
    return { job: await jobFileOf(path) };
  });
}

function settingsOf(job: ResolvedJob): JobSettings {
  const { headerRow = null, delimiter = null, encoding = null } = job.input.options;
  const { price } = job.service;
  return {
    ...{ headerRow, delimiter, encoding },
    country: job.country.default,
    perStart: job.budget.perStart ?? null,
    price: price
      ? {
          company: price.companyMicros / microsPerUnit,
          people: price.peopleMicros / microsPerUnit,
          currency: price.currency,
        }
      : null,
    people: peopleOf(job),
  };
}

function peopleOf({ people, reference }: ResolvedJob): JobSettings['people'] {
  if (!people) return null;
  const { searches, maxPerCompany } = people;
  const once = (values: readonly (string | undefined)[]) =>
    [...new Set(values)].filter((value) => value !== undefined);
  const nameOf = (table: Readonly<Record<string, string>>) => (id: string) => table[id] ?? id;
  return {
    seniority: once(searches.map(({ seniority }) => seniority)).map(nameOf(reference.seniority)),
    department: once(searches.map(({ department }) => department)).map(
      nameOf(reference.department),
    ),
    positions: once(searches.map(({ position }) => position)),
    maxPerCompany,
  };
}
