import { expect, test } from 'vitest';
import { companyColumns } from '../../../src/records/columns/company-columns.ts';
import { peopleColumns } from '../../../src/records/columns/people-columns.ts';
import { inputColumns, rowColumns } from '../../../src/records/columns/row-columns.ts';

const typeOf = (name: string) => companyColumns.find((column) => column.name === name)?.type;

test('nested fields become company_ and their path in snake_case', () => {
  expect(typeOf('company_industry_codes_abn')).toBe('text');
  expect(typeOf('company_next_gen_web_traffic_summary_bounce_rate')).toBe('decimal');
  expect(typeOf('company_next_gen_web_traffic_marketing_channels_distribution_direct')).toBe(
    'decimal',
  );
  expect(typeOf('company_employee_count')).toBe('integer');
  expect(typeOf('company_phones')).toBe('list');
  expect(typeOf('company_next_gen_social_media_youtube_verified')).toBe('boolean');
  expect(typeOf('company_next_gen_reviews_rating_url')).toBe('text');
});

test('open maps are JSON text', () => {
  const json = companyColumns.filter(({ type }) => type === 'json').map(({ name }) => name);
  expect(json).toEqual([
    'company_org_registers',
    'company_next_gen_technographics',
    'company_next_gen_web_traffic_traffic_share_countries',
    'company_extra',
  ]);
});

test('the columns of people and rows are those that the documents promise', () => {
  expect(peopleColumns.map(({ name }) => name).join(' ')).toBe(
    'company_id person_id position company_name network has_email has_personal_email has_phone ' +
      'has_dnd_phone has_mobile seniority department position_query country rows fetched_at extra',
  );
  expect(rowColumns.map(({ name }) => name).join(' ')).toBe(
    'row status reason message matched_by identifier match country fetched_at people_complete',
  );
});

test('no two columns have one name, whatever the headers are', () => {
  const names = [
    ...rowColumns,
    ...inputColumns(['Name', 'name', 'NAME 2', '', '*', 'row', 'company_id']),
    ...companyColumns,
  ].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('headers give safe column names', () => {
  expect(
    inputColumns(['Company Name', 'company-name', '', '会社']).map(({ name }) => name),
  ).toEqual(['input_company_name', 'input_company_name_2', 'input_column_3', 'input_会社']);
});
