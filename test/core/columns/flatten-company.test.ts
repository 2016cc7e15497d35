import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell } from '../../../src/core/columns/columns.ts';
import { companyColumns } from '../../../src/core/columns/table-columns.ts';
import { nameNetwork } from '../../../src/core/contract/network-name.ts';
import { arbitraryAnswer } from './arbitrary-answer.ts';
import { companyCells, fullCompany } from './sample-records.ts';

test('a company with every field fills every column and leaves no extra', () => {
  const cells = byName(fullCompany());
  const empty = Object.keys(cells).filter((name) => cells[name] === null);
  expect(empty).toEqual(['company_extra']);
  expect(cells).toMatchObject({
    company_employee_count: 184,
    company_industry_codes_acn: '004085616',
    company_phones: ['+61 2 5550 1234', '1300 555 012'],
    company_org_registers: '{"vc":"Venture capital","asx":"Listed"}',
    company_next_gen_web_traffic_summary_bounce_rate: 0.413,
    company_next_gen_social_media_network_verified: true,
    company_next_gen_reviews_rating_recommend_to_friend: '84',
  });
});

test('linkedin is read as network in the company and both social objects', () => {
  const renamed = JSON.parse(
    JSON.stringify(fullCompany()).replaceAll('"network"', '"linkedin"'),
  ) as unknown;
  expect(companyCells(renamed)).toEqual(companyCells(fullCompany()));
});

test('what the interface does not name, or what does not fit, is kept under its own path', () => {
  const cells = byName({
    id: 7,
    employee_count: '1,234',
    rank: null,
    phones: [{ number: '1' }],
    social_media: 'none',
    nextGen: { web_traffic: { summary: { bounce_rate: 'high', trend: [1, 2] } } },
  });
  expect(cells).toMatchObject({ company_id: '7', company_employee_count: null });
  expect(JSON.parse(String(cells.company_extra))).toEqual({
    employee_count: '1,234',
    rank: null,
    phones: [{ number: '1' }],
    social_media: 'none',
    nextGen: { web_traffic: { summary: { bounce_rate: 'high', trend: [1, 2] } } },
  });
});

test('a field called __proto__ is a field like any other', () => {
  const answer = JSON.parse('{"id":"1","__proto__":{"name":"evil"},"nextGen":{"__proto__":1}}');
  expect(byName(answer)).toMatchObject({
    company_name: null,
    company_extra: '{"__proto__":{"name":"evil"},"nextGen":{"__proto__":1}}',
  });
});

test('nesting of any depth breaks nothing', () => {
  const text = `${'{"nextGen":'.repeat(20_000)}"deep"${'}'.repeat(20_000)}`;
  expect(byName(JSON.parse(text)).company_extra).toBe('"nested too deeply"');
});

test('every leaf of any answer is found in a column or in the extra column', () => {
  fc.assert(
    fc.property(arbitraryAnswer(), (answer) => {
      const cells = companyCells(answer);
      const lost = leavesOf(nameNetwork(answer)).filter((leaf) => !isKept(leaf, cells));
      expect(lost).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

function byName(company: unknown): Record<string, Cell> {
  const cells = companyCells(company);
  return Object.fromEntries(companyColumns.map(({ name }, index) => [name, cells[index] ?? null]));
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Nulls and the empty text where a list is wanted say nothing, so nobody can miss them. */
function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (value === null || value === '') return [];
  if (typeof value !== 'object') return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

function isKept({ path, value }: Leaf, cells: readonly Cell[]): boolean {
  const index = companyColumns.findIndex(
    (column) => column.path.length > 0 && column.path.every((key, depth) => path[depth] === key),
  );
  const column = companyColumns[index];
  const cell = cells[index] ?? null;
  if (column === undefined || cell === null) {
    return isSame(valueAt(JSON.parse(String(cells.at(-1))), path), value);
  }
  if (column.type === 'json') {
    return isSame(valueAt(JSON.parse(String(cell)), path.slice(column.path.length)), value);
  }
  if (Array.isArray(cell)) return cell.some((text) => isSame(text, value));
  return isSame(cell, value) || isSame(Number(cell), Number(value));
}

/** Equal to a reader: 84 and "84" are, and so are half a surrogate pair and U+FFFD. */
function isSame(kept: unknown, given: unknown): boolean {
  return String(kept).toWellFormed() === String(given).toWellFormed();
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    const wellFormed = key.toWellFormed();
    if (!Object.hasOwn(inner, wellFormed)) return undefined;
    inner = (inner as Record<string, unknown>)[wellFormed];
  }
  return inner;
}
