import { z } from 'zod';
import { group, oneOrMany, text, wholeNumber } from './fields.ts';

export const People = group({
  seniority: oneOrMany(
    z.union([wholeNumber({ min: 1, max: 7 }), text()], 'an id from 1 to 7, or a name'),
    'ids or names of seniorities',
  )
    .optional()
    .describe('Seniorities to search for, by id (1 to 7) or name. Any when absent.'),
  department: oneOrMany(
    z.union([wholeNumber({ min: 1, max: 17 }), text()], 'an id from 1 to 17, or a name'),
    'ids or names of departments',
  )
    .optional()
    .describe('Departments to search for, by id (1 to 17) or name. Any when absent.'),
  position: oneOrMany(text('a position title'), 'position titles')
    .optional()
    .describe('Position titles to search for. Any when absent.'),
  pageSize: wholeNumber({ min: 1, max: 100 })
    .default(50)
    .describe('People asked for in one call. An empty page ends a search and is a call, too.'),
  maxPerCompany: wholeNumber({ min: 1, max: 1_000_000 })
    .default(1000)
    .describe(
      'No more people than this are fetched for one company; people_complete says where there may be more.',
    ),
});

export const Reference = group({
  seniority: z
    .record(z.string().regex(/^[1-7]$/, 'an id from 1 to 7'), text('a name'), 'names by id')
    .optional()
    .describe('Your names for seniority ids, such as `{3: Executives}`. Others keep theirs.'),
  department: z
    .record(
      z.string().regex(/^([1-9]|1[0-7])$/, 'an id from 1 to 17'),
      text('a name'),
      'names by id',
    )
    .optional()
    .describe('Your names for department ids. Others keep theirs.'),
});
