import { z } from 'zod';
import { part, text, textMap, texts, whole } from './fields.ts';
import { NextGen } from './next-gen.ts';

export const Company = z
  .looseObject({
    id: z.string().min(1).describe('Company identifier of the service.'),
    name: text('Company name.'),
    website: text('Website URL.'),
    fqdn: text('Fully-qualified domain name.'),
    description: text('Free-text description.'),
    tagline: text('Short tagline.'),
    network: text('Company slug on a professional network.'),
    employee_count: whole('Number of employees.'),
    year_founded: whole('Year of founding.'),
    hq_location: text('Headquarters place.'),
    hq_country: text('Headquarters country name.'),
    company_size: text('Size band, such as `50+`.'),
    company_type: text('Kind of company, such as a public company.'),
    abn_operation_status: text('Operating status from the business register.'),
    locations: texts('Places.'),
    industries: texts('Industry names.'),
    revenue: text('Revenue band.'),
    phones: texts('Phone numbers.'),
    emails: texts('E-mail addresses.'),
    social_media: part(
      {
        twitter: text('User name on Twitter.'),
        youtube: text('User name on YouTube.'),
        facebook: text('User name on Facebook.'),
        network: text('User name on the professional network.'),
        instagram: text('User name on Instagram.'),
      },
      'User names on social media.',
    ),
    industry_codes: part(
      {
        sic: text('Standard Industrial Classification code.'),
        duns: text('D-U-N-S number.'),
        naics: text('North American Industry Classification code.'),
        anzsic: text('Australian and New Zealand Industrial Classification code.'),
        abn: text('Australian Business Number.'),
        acn: text('Australian Company Number.'),
        nzbn: text('New Zealand Business Number.'),
        uen: text('Singapore Unique Entity Number.'),
      },
      'Register numbers and industry codes, always text.',
    ),
    keywords: texts('Keywords.'),
    org_registers: textMap('Map of register key to label.'),
    states: texts('Region codes.'),
    nextGen: NextGen,
  })
  .describe('A company profile.')
  .meta({ id: 'Company' });

export type Company = z.output<typeof Company>;
