import { z } from 'zod';
import { Country } from '../../../core/contract/countries.ts';
import { type IdentifierKind, kindWords } from '../../../core/contract/identifier-kinds.ts';
import { departmentNames, seniorityNames } from '../../../core/contract/reference.ts';

export const defaultPageSize = 10;
const maxPageSize = 100;
const maxOffset = 1_000_000_000;

/** A longer text would slow the search. */
const maxPositionLength = 200;

const ids = (names: Record<number, string>) => Object.keys(names) as [string, ...string[]];

const wholeText = (max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/)
    .refine((digits) => Number(digits) <= max);

export const PeopleSearch = z
  .object({
    companyId: z.string().min(1).describe('Company to search within.'),
    selectedCountry: Country.optional().describe('Country to search in; AU if absent.'),
    position: z
      .string()
      .max(maxPositionLength)
      .optional()
      .describe(
        `Words in the position title, at most ${maxPositionLength} characters; the title must contain all of them.`,
      ),
    seniority: z.enum(ids(seniorityNames)).optional().describe('Seniority id.'),
    department: z.enum(ids(departmentNames)).optional().describe('Department id.'),
    from: wholeText(maxOffset)
      .optional()
      .describe('Number of people to skip, as text; 0 if absent.'),
    size: wholeText(maxPageSize)
      .optional()
      .describe(`People per page, as text; ${defaultPageSize} if absent, at most ${maxPageSize}.`),
  })
  .meta({ id: 'PeopleSearch' });

export type PeopleSearch = z.output<typeof PeopleSearch>;

const identifiers = Object.entries(kindWords).map(([kind, { meaning }]) => [
  kind,
  z.string().optional().describe(meaning),
]);

export const CompanyLookup = z
  .object({
    ...(Object.fromEntries(identifiers) as Record<IdentifierKind, z.ZodOptional<z.ZodString>>),
    country: Country.optional().describe(
      'ISO country code for region-specific data; AU if absent.',
    ),
  })
  .meta({ id: 'CompanyLookup' });

export type CompanyLookup = z.output<typeof CompanyLookup>;
