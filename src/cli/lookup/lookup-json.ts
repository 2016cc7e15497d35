import { z } from 'zod';
import { identifierKinds } from '../../contract/identifier-kinds.ts';
import { nameNetwork } from '../../contract/network-name.ts';
import type { ReferenceNames } from '../../contract/reference.ts';
import type { PeopleRecord } from '../../ledger/run-records.ts';
import { peopleColumns } from '../../records/columns/people-columns.ts';
import { mergePeople } from '../../records/merge-people.ts';
import type { lookUp } from '../../run/run-job.ts';

/** What `lookup --json` prints. */
export const LookupJson = z
  .strictObject({
    status: z
      .enum(['matched', 'not_found', 'invalid', 'failed'])
      .describe('How it ended; `invalid` is an identifier that the service refused.'),
    reason: z.string().nullable().describe('Code of the reason where there is no company.'),
    message: z.string().nullable().describe('The reason in a sentence.'),
    identifier: z
      .strictObject({
        kind: z.enum(identifierKinds).describe('What it was read as.'),
        value: z.string().describe('The value that was asked for, cleaned.'),
      })
      .describe('What was asked for last: a second guess follows when the first finds nothing.'),
    country: z.string().describe('Country that was asked about.'),
    match: z
      .enum(['exact', 'alias', 'joined', 'mismatch', 'unverified'])
      .nullable()
      .describe('Whether the answer carries the identifier that was asked for.'),
    source: z
      .enum(['called', 'reused', 'joined'])
      .describe(
        'How the answer came: by a call now, from the ledger, or from the ledger where it was stored under another identifier.',
      ),
    fetchedAt: z.iso.datetime().describe('When the service gave the answer.'),
    company: z
      .unknown()
      .describe('The company as the service answered it, `linkedin` named `network`; or null.'),
    people: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe(
        'With --people: the records of people.jsonl, without `row_numbers` and `row_keys`.',
      ),
    peopleComplete: z
      .boolean()
      .optional()
      .describe('With --people: whether all of them were received; false where there may be more.'),
    failedSearches: z.int().nonnegative().describe('People searches that got no answer.'),
  })
  .meta({ id: 'LookupJson' });

export type LookupJson = z.output<typeof LookupJson>;

export function lookupJson(
  { row, people, counts, startedAt, endedAt }: Awaited<ReturnType<typeof lookUp>>,
  names: ReferenceNames,
): LookupJson {
  const { status, askedBy, match } = row;
  // A call that failed has fetched nothing.
  const fetchedAt = row.fetchedAt ?? new Date(endedAt).toISOString();
  if (status === 'open' || !askedBy) throw new Error('the lookup has no answer');
  const isCalled = counts.calls.called > 0 && Date.parse(fetchedAt) >= startedAt;
  const source = isCalled ? 'called' : 'reused';
  return {
    status,
    reason: row.reason,
    message: row.message,
    identifier: { kind: askedBy, value: row.identifier ?? '' },
    country: row.country ?? '',
    match,
    source: match === 'joined' ? match : source,
    fetchedAt,
    company: row.company === undefined ? null : nameNetwork(row.company),
    ...(people && {
      people: peopleOf(people, names),
      peopleComplete: row.peopleComplete === true,
    }),
    failedSearches: counts.failedSearches,
  };
}

/** A lookup has no list. */
const ofRows = new Set(['row_numbers', 'row_keys']);

function peopleOf(company: PeopleRecord, names: ReferenceNames): Record<string, unknown>[] {
  return mergePeople(company, names).map((cells) =>
    Object.fromEntries(
      peopleColumns.flatMap(({ name }, index) => (ofRows.has(name) ? [] : [[name, cells[index]]])),
    ),
  );
}
