/** A company with every field of the interface, and some that it does not name. */
export const fullCompany = {
  id: 'c_full',
  name: 'Ōtautahi Dairy 株式会社',
  website: 'https://www.otautahi-dairy-sample.co.nz/en/',
  fqdn: 'otautahi-dairy-sample.co.nz',
  description: 'Milk, "butter" and\ncheese.',
  tagline: 'From grass',
  network: 'otautahi-dairy',
  employee_count: 1234,
  year_founded: 1987,
  hq_location: 'Christchurch',
  hq_country: 'New Zealand',
  company_size: '1000+',
  company_type: 'Public Company',
  abn_operation_status: 'Active',
  locations: ['Christchurch', 'Sydney'],
  industries: ['Dairy'],
  revenue: '$100M-$500M',
  phones: ['+64 3 555 0100'],
  emails: ['hello@otautahi-dairy-sample.co.nz'],
  social_media: {
    twitter: 'otd',
    youtube: 'otd-tv',
    facebook: 'otd.fb',
    network: 'otautahi-dairy',
    instagram: 'otd_ig',
  },
  industry_codes: {
    sic: '2026',
    duns: '001234567',
    naics: '311511',
    anzsic: '1131',
    abn: '13 914 571 672',
    acn: '914571672',
    nzbn: '9429000000000',
    uen: '201912345K',
  },
  keywords: ['milk'],
  org_registers: { vc: 'Victoria' },
  states: ['CAN'],
  nextGen: {
    technographics: { Analytics: ['Countly'], CRM: [] },
    website: 'https://otautahi-dairy-sample.co.nz',
    social_media: {
      youtube: profile('yt'),
      instagram: profile('ig'),
      network: profile('net'),
      facebook: profile('fb'),
    },
    reviews_rating: {
      ceo_approval: '0.91',
      total_reviews: 12,
      rating: {
        ceo_approval_rating: '4.1',
        career_opportunities_rating: '3.9',
        compensation_and_benefits_rating: '3.8',
        culture_and_values_rating: '4.0',
        diversity_and_inclusion_rating: '4.2',
        senior_management_rating: '3.5',
        work_life_balance_rating: '4.4',
      },
      overall_rating: '4.0',
      employee_rating_id: 'r_77',
      recommend_to_friend: 88,
      url: 7,
    },
    id: 'c_full',
    web_traffic: {
      summary: {
        avg_visit_duration: '00:02:10',
        total_web_visitors: 45_000,
        bounce_rate: 0.41,
        pages_per_visit: 3.2,
      },
      traffic_share: { countries: { NZ: 0.8, AU: { share: 0.2 } }, organic: 0.7, paid: 0.3 },
      marketing_channels_distribution: {
        Direct: 0.2,
        Referrals: 0.1,
        Search: 0.5,
        Social: 0.15,
        Mail: 0.05,
      },
    },
  },
  not_in_the_interface: { deep: [1, null, { yes: true }] },
};

function profile(handle: string) {
  return {
    profile_name: `Profile ${handle}`,
    handle,
    followers: 10,
    verified: true,
    videos: 3,
    likes: 4,
    views: 5,
    subscribers: 6,
    following: 7,
    joined: '2019-05-01',
  };
}

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
