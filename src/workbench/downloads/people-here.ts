import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { mergePeople } from '../../records/merge-people.ts';
import type { CompanyPeople, PeopleSource } from './read-people.ts';

/*
 * A process of its own that reads the people of a run for the server: its word is a PeopleSource as JSON,
 * and it prints a CompanyPeople as JSON for each company, a line each.
 */
const source: PeopleSource = JSON.parse(process.argv[2] ?? '');
using ledger = openLedgerToRead(source.ledger);
await pipeline(Readable.from(lines()), process.stdout);

function* lines(): Generator<string> {
  const run = ledger?.runs.get(source.run);
  if (!ledger || !run) return;
  const recorded = { ...run, staleSince: run.lastStartedAt - source.staleMs };
  for (const company of ledger.records.of(recorded, () => {}).people()) {
    const { rows } = company;
    const people: CompanyPeople = { rows, people: mergePeople(company, source.names) };
    yield `${JSON.stringify(people)}\n`;
  }
}
