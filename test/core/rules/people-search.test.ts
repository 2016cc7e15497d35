import { expect, test } from 'vitest';
import {
  endOfSearch,
  isCompleteSearch,
  type PageFacts,
  type SearchEnd,
} from '../../../src/core/rules/people-search.ts';

const fullPage: PageFacts = {
  received: 50,
  receivedForCompany: 50,
  pageLength: 50,
  added: 50,
  total: undefined,
  maxPerCompany: 1_000,
};

test.each<[string, Partial<PageFacts>, string | undefined]>([
  ['a full page', {}, undefined],
  ['a short page, for the service may give fewer than it has', { pageLength: 10 }, undefined],
  ['a short page when more are told', { pageLength: 9, total: 99 }, undefined],
  ['an empty page', { pageLength: 0, added: 0 }, 'empty_page'],
  ['an empty page when more are told', { pageLength: 0, added: 0, total: 99 }, 'empty_page'],
  ['a page without anybody new', { added: 0 }, 'no_new_person'],
  ['as many as there are', { total: 50 }, 'total'],
  ['more than there are', { total: 12 }, 'total'],
  ['as many as are wanted', { receivedForCompany: 1_000 }, 'max_per_company'],
])('after %s', (_, changes, end) => {
  expect(endOfSearch({ ...fullPage, ...changes })).toBe(end);
});

test.each<[SearchEnd, number, number | null, boolean]>([
  ['empty_page', 40, null, true],
  ['empty_page', 40, 40, true],
  ['empty_page', 40, 99, false],
  ['total', 40, 40, true],
  // Some came twice, and others perhaps never.
  ['total', 38, 40, false],
  ['not_found', 0, null, true],
  ['no_new_person', 40, null, false],
  ['no_new_person', 40, 40, true],
  ['max_per_company', 40, null, false],
  ['max_per_company', 40, 40, true],
  ['failed', 0, null, false],
])('a search that ended by %s with %i people of %s is complete: %s', (end, found, total, is) => {
  expect(isCompleteSearch({ end, found, total })).toBe(is);
});
