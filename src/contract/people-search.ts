import { z } from 'zod';
import { Country } from './countries.ts';
import { departmentNames, seniorityNames } from './reference.ts';

export const defaultPageSize = 10;
const maxPageSize = 100;
/** No company has more people. The limit keeps the offset within the integers of SQLite. */
const maxOffset = 1_000_000_000;

/** No title is longer, and a longer one would make the search slow. */
const maxPositionLength = 200;

const ids = (names: Record<number, string>) => Object.keys(names) as [string, ...string[]];

const wholeText = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/)
    .refine((digits) => Number(digits) >= min && Number(digits) <= max);

export const PeopleSearch = z
  .object({
    companyId: z.string().min(1).describe('Company to search within.'),
    selectedCountry: Country.optional().describe(
      'Country to search against; AU applies when it is absent.',
    ),
    position: z
      .string()
      .max(maxPositionLength)
      .optional()
      .describe(
        `Words of the position title, at most ${maxPositionLength} characters; all must occur.`,
      ),
    seniority: z.enum(ids(seniorityNames)).optional().describe('Seniority id.'),
    department: z.enum(ids(departmentNames)).optional().describe('Department id.'),
    from: wholeText(0, maxOffset)
      .optional()
      .describe('How many people to pass over, a whole number as text; 0 when absent.'),
    size: wholeText(0, maxPageSize)
      .optional()
      .describe(
        `People in a page, a whole number as text; ${defaultPageSize} when absent, at most ${maxPageSize}.`,
      ),
  })
  .meta({ id: 'PeopleSearch' });

export type PeopleSearch = z.output<typeof PeopleSearch>;
