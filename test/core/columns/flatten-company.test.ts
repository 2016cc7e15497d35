import { expect, test } from 'vitest';
import type { Cell } from '../../../src/core/columns/columns.ts';
import { companyColumns } from '../../../src/core/columns/table-columns.ts';
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

test('unknown values and values of a wrong type are stored under their own path', () => {
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

function byName(company: unknown): Record<string, Cell> {
  const cells = companyCells(company);
  return Object.fromEntries(companyColumns.map(({ name }, index) => [name, cells[index] ?? null]));
}
