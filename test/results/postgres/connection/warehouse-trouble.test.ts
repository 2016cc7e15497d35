import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  type LoadStep,
  warehouseTrouble,
} from '../../../../src/results/postgres/open-warehouse.ts';

const place = { host: 'db.example', port: '5432', database: 'Lake', schema: 'enrichment' };
const failure = (code: string | undefined, message: string) =>
  Object.assign(new Error(message), {
    code,
    detail: 'Key (a)=(hunter22)',
    table: 't',
    column: 'c',
  });

test.each<[LoadStep, string | undefined, string, string]>([
  ['connect', 'ECONNREFUSED', 'WAREHOUSE_DOWN', 'cannot be reached: connection refused'],
  ['connect', undefined, 'WAREHOUSE_DOWN', 'cannot be reached: hunter says no'],
  ['connect', '28P01', 'WAREHOUSE_REFUSED', 'refuses the user, the password or the machine'],
  ['connect', '3D000', 'WAREHOUSE_UNFIT', 'has no such database'],
  ['connect', '53300', 'WAREHOUSE_DOWN', 'takes no more connections'],
  [
    'connect',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'WAREHOUSE_UNFIT',
    'not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
  ['merge', '57P01', 'WAREHOUSE_DOWN', 'has ended the connection (57P01)'],
  ['stage', 'ECONNRESET', 'WAREHOUSE_DOWN', 'has ended the connection (connection lost)'],
  ['stage', 'EPIPE', 'WAREHOUSE_DOWN', 'has ended the connection (connection lost)'],
  ['stage', '42501', 'WAREHOUSE_REFUSED', 'grant temporary on database "Lake"'],
  ['make tables', '42501', 'WAREHOUSE_REFUSED', 'grant usage, create on schema enrichment'],
  [
    'merge',
    '42501',
    'WAREHOUSE_REFUSED',
    'grant select, insert, update, delete on all tables in schema enrichment',
  ],
  ['stage', '25006', 'WAREHOUSE_DOWN', 'can only be read: it is a standby'],
  ['stage', '53100', 'WAREHOUSE_DOWN', 'has no room left on its disk'],
  ['merge', '53200', 'WAREHOUSE_DOWN', 'has no memory left'],
  ['merge', '53400', 'WAREHOUSE_DOWN', 'reaches a limit of its settings: hunter says no'],
  ['lock', '55P03', 'OUTPUT_BUSY', 'is still loading the same job into the schema enrichment'],
  ['merge', '55P03', 'OUTPUT_BUSY', 'has another session that holds a lock on the tables'],
  ['merge', '40001', 'OUTPUT_BUSY', 'had another session write to the same records'],
  ['merge', '40P01', 'OUTPUT_BUSY', 'had another session write to the same records'],
  ['merge', '57014', 'WAREHOUSE_DOWN', 'has cancelled the load'],
  ['stage', '22P05', 'WAREHOUSE_UNFIT', 'not encoded in UTF8'],
  ['merge', '23502', 'WAREHOUSE_UNFIT', 'takes no null: t.c'],
  ['make tables', '54011', 'WAREHOUSE_UNFIT', 'cannot hold a record of the result: hunter says no'],
  ['commit', '23505', 'WAREHOUSE_DOWN', 'says: hunter says no (23505)'],
])('at %s, %s is %s: %s', (step, code, ours, said) => {
  const told = warehouseTrouble(failure(code, 'hunter says no'), step, place);
  expect(told?.code).toBe(ours);
  expect(told?.message).toContain(`PostgreSQL at db.example:5432/Lake ${''}`);
  expect(told?.message).toContain(said);
  // Details of PostgreSQL hold records, and texts about a user name it.
  expect(inspect(told, { depth: 5 })).not.toContain('hunter22');
});

test('of an address with several hosts the first failure is told', () => {
  const failures = new AggregateError([failure('ECONNREFUSED', ''), failure('ETIMEDOUT', '')]);
  expect(warehouseTrouble(failures, 'connect', place)?.message).toContain('connection refused');
});
