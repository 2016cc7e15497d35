import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemaVersion } from '../../src/core/columns/columns.ts';
import { type TableContract, tableContracts, warehouseTables } from '../../src/results/tables.ts';

/** One file for each version that there was: `1.0.txt`. They are added and never edited. */
const versions = join(import.meta.dirname, 'table-versions');

const columnsOf = (tables: Readonly<Record<string, TableContract>>) =>
  Object.values(tables).flatMap(({ name, columns, key }) => [
    `${name} key: ${key.join(', ')}`,
    ...columns.map((column) => `${name}.${column.name} ${column.type}`),
  ]);

const inFiles = columnsOf(tableContracts);
const inWarehouse = columnsOf(warehouseTables).filter((line) => !inFiles.includes(line));
const columnsNow = [...inFiles, ...inWarehouse.map((line) => `warehouse ${line}`)];

test('a changed column needs a new schemaVersion', () => {
  const path = join(versions, `${schemaVersion}.txt`);
  expect(existsSync(path), `${path} is to hold:\n${columnsNow.join('\n')}`).toBe(true);
  expect(columnsNow).toEqual(linesOf(path));
});

test('within a first number, columns are only added, and none is moved', () => {
  const [major] = schemaVersion.split('.');
  const earlier = readdirSync(versions).filter((name) => name.startsWith(`${major}.`));
  expect(earlier).toContain(`${schemaVersion}.txt`);
  for (const name of earlier) {
    const before = linesOf(join(versions, name));
    expect(columnsNow.filter((line) => before.includes(line))).toEqual(before);
  }
});

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}
