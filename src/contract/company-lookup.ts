import { z } from 'zod';
import { Country } from './countries.ts';

export const CompanyLookup = z
  .object({
    id: z.string().optional().describe('Company identifier of the service.'),
    abn: z.string().optional().describe('Australian Business Number.'),
    fqdn: z.string().optional().describe('Fully-qualified domain name.'),
    website: z.string().optional().describe('Company website URL.'),
    ln_slug: z.string().optional().describe('Company slug on a professional network.'),
    ln_url: z
      .string()
      .optional()
      .describe('Full URL of the company page on a professional network.'),
    country: Country.optional().describe(
      'ISO country code for region-specific data; AU applies when it is absent.',
    ),
  })
  .meta({ id: 'CompanyLookup' });

export type CompanyLookup = z.output<typeof CompanyLookup>;
