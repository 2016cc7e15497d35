import { expect, test } from 'vitest';
import { endOfSearch, type PageFacts } from '../../src/run/search-people.ts';

const fullPage: PageFacts = {
  received: 50,
  receivedForCompany: 50,
  pageLength: 50,
  longestBefore: 0,
  added: 50,
  total: undefined,
  maxPerCompany: 1_000,
};

test.each<[string, Partial<PageFacts>, string | undefined]>([
  ['a full page', {}, undefined],
  ['a short first page, for the service may have a limit', { pageLength: 10 }, undefined],
  ['a page as long as the one before', { pageLength: 10, longestBefore: 10 }, undefined],
  ['a page shorter than an earlier one', { pageLength: 9, longestBefore: 10 }, 'short_page'],
  ['a shorter page when more are told', { pageLength: 9, longestBefore: 10, total: 99 }, undefined],
  ['an empty page', { pageLength: 0, added: 0 }, 'empty_page'],
  ['an empty page when more are told', { pageLength: 0, added: 0, total: 99 }, 'empty_page'],
  ['a page without anybody new', { added: 0 }, 'no_new_person'],
  ['as many as there are', { total: 50 }, 'total'],
  ['more than there are', { total: 12 }, 'total'],
  ['as many as are wanted', { receivedForCompany: 1_000 }, 'max_per_company'],
])('after %s', (_, changes, end) => {
  expect(endOfSearch({ ...fullPage, ...changes })).toBe(end);
});
