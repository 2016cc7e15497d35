import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { examineLedger } from '../../src/engine/ledger/care/examine-ledger.ts';
import { faultCase } from './support/fault-case.ts';
import { filesIn } from './support/oracle.ts';
import type { Seed } from './support/seed.ts';
import { expectNoTrace, expectTrouble } from './support/trouble.ts';
import { openWorld } from './support/world.ts';

/** What the tables of nights hold, and which of a table's lines a byte is changed in. */
const places = [
  { table: 'list_block', column: 'row_ids' },
  { table: 'row', column: 'cells' },
  { table: 'row', column: 'key' },
  { table: 'row', column: 'candidates' },
  { table: 'outcome', column: 'answer_id', where: `status = 'matched'` },
  { table: 'outcome', column: 'status' },
  { table: 'tally', column: 'bytes' },
] as const;

type Place = (typeof places)[number];

/** Changes a bit of a stored value, as a bad disk would; a number becomes another that is in use. */
function damage(path: string, place: Place, seed: Seed): void {
  const { table, column } = place;
  const where = 'where' in place ? place.where : 'true';
  const db = new Database(path);
  db.pragma('ignore_check_constraints = on');
  const values = db.prepare(`select ${column} from ${table} where ${where}`).pluck().all();
  const value = seed.pick(values);
  const all = { value, changed: changed(value, values, seed) };
  const key = table === 'outcome' ? '(row_id, run_id)' : 'rowid';
  const keyed = table === 'list_block' ? '(list_id, first_number)' : key;
  const of = table === 'tally' ? 'job' : keyed;
  const columns = of.replace(/[()]/g, '');
  db.prepare(`
    update ${table} set ${column} = :changed where ${of} = (
      select ${columns} from ${table} where ${column} = :value and ${where} limit 1)`).run(all);
  db.close();
}

function changed(value: unknown, values: readonly unknown[], seed: Seed): unknown {
  if (typeof value === 'number') return seed.pick(values.filter((other) => other !== value));
  const bytes = Buffer.from(value as string | Buffer);
  const at = seed.random(bytes.length);
  // Of text, a bit that leaves it text.
  bytes[at] = (bytes[at] ?? 0) ^ (typeof value === 'string' ? 1 : 1 << seed.random(8));
  return typeof value === 'string' ? bytes.toString() : bytes;
}

/** The tables, without what differs from a night whose answer was damaged. */
function tablesOf(output: string): Record<string, string> {
  const { 'changes.csv': _, 'changes.jsonl': __, ...tables } = filesIn(output);
  return tables;
}

describe('a ledger of several nights', () => {
  for (const place of places) {
    faultCase(
      `whose ${place.table}.${place.column} has changed on the disk gives no wrong file`,
      async (seed) => {
        await using world = await openWorld({ people: undefined, rows: 20 });
        for (let night = 0; night < 2; night += 1) {
          const { by, stderr } = await world.run();
          expect(by, stderr).toBe(0);
        }
        const files = tablesOf(world.output);
        const calls = world.asked().length;
        damage(world.ledger, place, seed);
        const { findings } = examineLedger(world.ledger);
        // A tally is made anew from the records.
        expect(findings.length).toBe(place.table === 'tally' ? 0 : 1);
        const command = ['export', 'job.yaml', '--output', 'again'];
        for (const options of [{ command }, {}]) {
          const ended = await world.run(options);
          expectNoTrace(ended.stderr);
          if (ended.by === 74) expectTrouble(ended, 'LEDGER_DAMAGED');
          else if (ended.by === 0) expect(tablesOf(world.output)).toEqual(files);
          // A row whose answer cannot be told is said to have failed.
          else expect(ended.by, ended.stderr).toBe(3);
        }
        const lines = ({ 'companies.csv': text = '' }: Record<string, string>) => text.split('\n');
        const others = lines(tablesOf(join(world.folder, 'again'))).filter(
          (line) => line !== '' && !lines(files).includes(line),
        );
        for (const line of others) expect(line).toContain('damaged_answer');
        expect(world.asked().length, 'calls').toBe(calls);
      },
      { short: place.table === 'list_block' ? 1 : 0, long: 5 },
    );
  }
});
