import { Client } from 'pg';
import type { RecordedChange } from '../../../../src/core/columns/table-columns.ts';
import {
  type LoadOptions,
  prepareLoad,
} from '../../../../src/results/destinations/postgres/prepare-load.ts';
import type { ManifestHead } from '../../../../src/results/manifest.ts';
import type { RecordSource } from '../../../../src/results/sink.ts';
import { sampleFacts, sampleNames, startedAfter } from '../../sample-run.ts';

/** The facts of a night of August: `r2` has run on the second. */
export function factsOf(
  night: number,
  others: Partial<ManifestHead> = {},
  job = 'leads',
): ManifestHead {
  const at = (hour: number) => new Date(Date.UTC(2026, 7, night, hour)).toISOString();
  return {
    ...sampleFacts,
    run: `r${night}`,
    startedAt: at(4),
    endedAt: at(5),
    job,
    ...others,
  };
}

export function loadOptions(
  url: string,
  schema: string,
  facts: ManifestHead,
  others: Partial<LoadOptions> = {},
): LoadOptions {
  return {
    address: new URL(url),
    schema,
    facts,
    reference: sampleNames,
    isLater: startedAfter(facts),
    ...others,
  };
}

export async function load(source: RecordSource, options: LoadOptions) {
  const prepared = await prepareLoad(source, options);
  return await prepared.commit();
}

export function changeOf(changes: Partial<RecordedChange> = {}): RecordedChange {
  return {
    op: 'company_changed',
    rowKey: 'crm-1',
    rowNumber: 1,
    country: 'AU',
    personId: null,
    companyId: 'c_1',
    companyName: 'Acme',
    columns: ['company_name'],
    before: { company_name: 'Acme' },
    after: { company_name: 'Acme 2' },
    beforeFetchedAt: '2026-08-21T04:20:00.000Z',
    afterFetchedAt: '2026-08-22T04:20:00.000Z',
    sinceRun: 'r1',
    run: 'r2',
    ...changes,
  };
}

/** A session that stays open, for what may not stand in a transaction, or has to go on in one. */
export async function openSession(url: string) {
  const client = new Client(url);
  await client.connect();
  return {
    run: (text: string) => client.query(text),
    [Symbol.asyncDispose]: () => client.end(),
  };
}
