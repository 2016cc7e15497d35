import { fullCompany as everyField } from '../core/columns/sample-records.ts';

/** A company with every field of the interface, and one that it does not name. */
export const fullCompany = {
  ...everyField(),
  id: 'c_full',
  name: 'Ōtautahi Dairy 株式会社',
  website: 'https://www.otautahi-dairy-sample.co.nz/en/',
  fqdn: 'otautahi-dairy-sample.co.nz',
  description: 'Milk, "butter" and\ncheese.',
  network: 'otautahi-dairy',
  hq_country: 'New Zealand',
  industry_codes: { ...everyField().industry_codes, abn: '13 914 571 672', acn: '914571672' },
  not_in_the_interface: { deep: [1, null, { yes: true }] },
};

/** 260 people of one company over all seniorities and departments, and three of another. */
export const people = [
  ...Array.from({ length: 260 }, (_, index) => ({
    person_id: `p_${String(index).padStart(4, '0')}`,
    position: ['Head of Sales', 'Chief Engineer', 'Sales Manager – APAC', 'Naïve Café Owner'][
      index % 4
    ],
    company_name: 'Ōtautahi Dairy',
    network: `role-${index}`,
    has_email: index % 2 === 0,
    has_personal_email: false,
    has_phone: true,
    has_dnd_phone: null,
    has_mobile: false,
    company_id: 'c_full',
    seniority: (index % 7) + 1,
    department: (index % 17) + 1,
  })),
  { person_id: 'q_1', company_id: 'c_small', seniority: 3, department: 2, country: 'NZ' },
  { person_id: 'q_2', company_id: 'c_small', seniority: 1, department: 2, country: 'AU' },
  { person_id: 'q_3', company_id: 'c_small', seniority: 3, department: 11, position: 'C-Level' },
];

export const companies = [
  fullCompany,
  { id: 'c_small', name: 'Small', website: 'http://small-sample.com.au/shop' },
  { id: 'c_host', fqdn: 'shop.small-sample.com.au' },
  { id: 'c_reserved', fqdn: 'reserved.example', network: null, employee_count: null },
  { id: 'c_numeric', network: '1035', industry_codes: { abn: '', acn: '065475149' } },
  { id: 'c_shared_au', fqdn: 'shared-sample.com', hq_country: 'Australia' },
  { id: 'c_shared_nz', fqdn: 'shared-sample.com', hq_country: 'New Zealand' },
  { id: 'c_page', website: 'https://www.facebook.com/c-page' },
  { id: 'c_aliased', linkedin: 'aliased', social_media: { linkedin: 'aliased-social' } },
];

export function jsonl(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
