import type { Cell } from '../../../src/core/columns/columns.ts';
import { fillCompany } from '../../../src/core/columns/company-cells.ts';
import type { RowRecord } from '../../../src/core/columns/run-records.ts';
import { companyColumns } from '../../../src/core/columns/table-columns.ts';

/** The cells of a company alone. */
export function companyCells(company: unknown): Cell[] {
  const cells = new Array<Cell>(companyColumns.length).fill(null);
  fillCompany(company, cells, 0);
  return cells;
}

/** A company with every field of the interface. */
export function fullCompany() {
  const profile = (name: string) => ({
    profile_name: `Harbour Lane Joinery on ${name}`,
    handle: '@harbourlane',
    followers: 18_250,
    verified: true,
    videos: 41,
    likes: 90_210,
    views: 1_250_000,
    subscribers: 950,
    following: 310,
    joined: '2014-03-09',
  });
  return {
    id: 'c_000123',
    name: 'Harbour Lane Joinery Pty Ltd',
    website: 'https://www.harbourlane.example',
    fqdn: 'harbourlane.example',
    description: 'Shopfitters, joiners and makers of "quiet" rooms, since 1987. '.repeat(8),
    tagline: 'Rooms that last',
    network: 'harbour-lane-joinery',
    employee_count: 184,
    year_founded: 1987,
    hq_location: 'Marrickville, NSW',
    hq_country: 'Australia',
    company_size: '51-200',
    company_type: 'Privately Held',
    abn_operation_status: 'Active',
    locations: ['Marrickville, NSW', 'Geelong, VIC', 'Wellington'],
    industries: ['Construction', 'Furniture'],
    revenue: '$10M-$50M',
    phones: ['+61 2 5550 1234', '1300 555 012'],
    emails: ['hello@harbourlane.example'],
    social_media: {
      twitter: 'harbourlane',
      youtube: 'harbourlanetv',
      facebook: 'harbourlane.joinery',
      network: 'harbour-lane-joinery',
      instagram: 'harbour.lane',
    },
    industry_codes: {
      sic: '1751',
      duns: '049873321',
      naics: '238350',
      anzsic: '3242',
      abn: '51824753556',
      acn: '004085616',
      nzbn: '9429041538349',
      uen: '201912345K',
    },
    keywords: ['joinery', 'shopfitting', 'acoustic panels', 'timber'],
    org_registers: { vc: 'Venture capital', asx: 'Listed' },
    states: ['NSW', 'VIC'],
    nextGen: {
      technographics: {
        Analytics: ['Plausible', 'Matomo'],
        'Content Management': ['WordPress'],
        Payments: ['Stripe'],
      },
      website: 'https://www.harbourlane.example',
      social_media: {
        youtube: profile('YouTube'),
        instagram: profile('Instagram'),
        network: profile('the network'),
        facebook: profile('Facebook'),
      },
      reviews_rating: {
        ceo_approval: '0.87',
        total_reviews: 212,
        rating: {
          ceo_approval_rating: '0.87',
          career_opportunities_rating: '3.9',
          compensation_and_benefits_rating: '3.4',
          culture_and_values_rating: '4.1',
          diversity_and_inclusion_rating: '4.0',
          senior_management_rating: '3.6',
          work_life_balance_rating: '4.2',
        },
        overall_rating: '4.0',
        employee_rating_id: '778812',
        recommend_to_friend: 84,
        url: 'https://reviews.example/778812',
      },
      id: 'c_000123',
      web_traffic: {
        summary: {
          avg_visit_duration: '00:02:11',
          total_web_visitors: 48_211,
          bounce_rate: 0.413,
          pages_per_visit: 3.27,
        },
        traffic_share: {
          countries: { AU: 0.81, NZ: { share: 0.12, rank: 2 } },
          organic: 0.64,
          paid: 0.36,
        },
        marketing_channels_distribution: {
          Direct: 0.31,
          Referrals: 0.09,
          Search: 0.48,
          Social: 0.1,
          Mail: 0.02,
        },
      },
    },
  };
}

/** What people records say besides whose people they are. */
export const foundTonight = {
  isStale: false,
  changedAt: '2026-08-22T05:00:00.000Z',
  changedAtByPerson: {},
  changedRun: 1,
  changedRunByPerson: {},
} as const;

export function matchedRow(number: number, changes: Partial<RowRecord> = {}): RowRecord {
  return {
    number,
    key: `crm-${number}`,
    isStale: false,
    changedAt: '2026-08-22T05:00:00.000Z',
    status: 'matched',
    reason: null,
    message: null,
    matchedBy: 'abn',
    identifierKind: 'abn',
    identifier: '51824753556',
    match: 'exact',
    country: 'AU',
    fetchedAt: '2026-08-22T04:12:09.113Z',
    peopleComplete: true,
    cells: ['Harbour Lane', '51 824 753 556'],
    company: fullCompany(),
    ...changes,
  };
}

export function rejectedRow(number: number, changes: Partial<RowRecord> = {}): RowRecord {
  return matchedRow(number, {
    status: 'not_found',
    reason: 'not_found',
    message: 'The service does not know this company.',
    match: null,
    company: undefined,
    ...changes,
  });
}
