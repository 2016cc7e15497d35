import { z } from 'zod';

/** Every field may be absent or null, because the service does not document which may. */
const text = (about: string) => z.string().nullish().describe(about);
const whole = (about: string) => z.int().nullish().describe(about);
const decimal = (about: string) => z.number().nullish().describe(about);
const flag = (about: string) => z.boolean().nullish().describe(about);
const texts = (about: string) => z.array(z.string()).nullish().describe(about);
const textMap = (about: string) => z.record(z.string(), z.string()).nullish().describe(about);

/** Keeps unknown fields, because they were paid for. */
const part = <Shape extends z.ZodRawShape>(shape: Shape, about: string) =>
  z.looseObject(shape).nullish().describe(about);

// In real answers, these fields have more types than the service documents.
const verified = z.union([z.boolean(), z.number(), z.string()]).nullish();
const recommendation = z.union([z.number(), z.string()]).nullish();
const reviewsUrl = z.union([z.number(), z.string()]).nullish();

const SocialProfile = z
  .looseObject({
    profile_name: text('Name shown on the profile.'),
    handle: text('Handle of the profile.'),
    followers: whole('Number of followers.'),
    verified: verified.describe('Whether the platform verified the profile.'),
    videos: whole('Number of videos.'),
    likes: whole('Number of likes.'),
    views: whole('Number of views.'),
    subscribers: whole('Number of subscribers.'),
    following: whole('Number of profiles followed.'),
    joined: text('Date of joining, YYYY-MM-DD.'),
  })
  .meta({ id: 'SocialProfile' });

const socialProfile = (platform: string) =>
  SocialProfile.nullish().describe(`Profile on ${platform}.`);

const Rating = part(
  {
    ceo_approval_rating: text('Rating of the chief executive, such as `4.1`.'),
    career_opportunities_rating: text('Rating of career opportunities, such as `4.1`.'),
    compensation_and_benefits_rating: text('Rating of compensation and benefits, such as `4.1`.'),
    culture_and_values_rating: text('Rating of culture and values, such as `4.1`.'),
    diversity_and_inclusion_rating: text('Rating of diversity and inclusion, such as `4.1`.'),
    senior_management_rating: text('Rating of senior management, such as `4.1`.'),
    work_life_balance_rating: text('Rating of work-life balance, such as `4.1`.'),
  },
  'Ratings by aspect.',
);

const ReviewsRating = part(
  {
    ceo_approval: text('Share of employees who approve of the chief executive, such as `0.54`.'),
    total_reviews: whole('Number of reviews.'),
    rating: Rating,
    overall_rating: text('Overall rating, such as `4.1`.'),
    employee_rating_id: text('Identifier of the rating.'),
    recommend_to_friend: recommendation.describe(
      'Share of reviewers who would recommend the company.',
    ),
    url: reviewsUrl.describe('URL of the reviews.'),
  },
  'Reviews and ratings by employees.',
);

const WebTraffic = part(
  {
    summary: part(
      {
        avg_visit_duration: text('Average duration of a visit.'),
        total_web_visitors: whole('Number of visitors.'),
        bounce_rate: decimal('Share of visits that end after one page.'),
        pages_per_visit: decimal('Pages viewed per visit.'),
      },
      'Summary of the traffic.',
    ),
    traffic_share: part(
      {
        countries: z
          .record(z.string(), z.unknown())
          .nullish()
          .describe('Share of traffic by country; the structure of the map may vary.'),
        organic: decimal('Share of organic traffic.'),
        paid: decimal('Share of paid traffic.'),
      },
      'Where the traffic comes from.',
    ),
    marketing_channels_distribution: part(
      {
        Direct: decimal('Share of direct visits.'),
        Referrals: decimal('Share of visits from referrals.'),
        Search: decimal('Share of visits from search.'),
        Social: decimal('Share of visits from social media.'),
        Mail: decimal('Share of visits from e-mail.'),
      },
      'Share of visits from each marketing channel.',
    ),
  },
  'Web traffic.',
);

const NextGen = part(
  {
    technographics: z
      .record(z.string(), z.array(z.string()))
      .nullish()
      .describe('Map of category name to product names.'),
    website: text('Website URL.'),
    social_media: part(
      {
        youtube: socialProfile('YouTube'),
        instagram: socialProfile('Instagram'),
        network: socialProfile('the professional network'),
        facebook: socialProfile('Facebook'),
      },
      'Social profiles.',
    ),
    reviews_rating: ReviewsRating,
    id: text('Company identifier.'),
    web_traffic: WebTraffic,
  },
  'Extended data: technographics, web traffic, reviews and ratings.',
);

export const Company = z
  .looseObject({
    id: z.string().min(1).describe("The service's identifier for the company."),
    name: text('Company name.'),
    website: text('Website URL.'),
    fqdn: text('Fully-qualified domain name.'),
    description: text('Free-text description.'),
    tagline: text('Short tagline.'),
    network: text('Company slug on a professional network.'),
    employee_count: whole('Number of employees.'),
    year_founded: whole('Year in which the company was founded.'),
    hq_location: text('Location of the headquarters.'),
    hq_country: text('Country of the headquarters, as a name.'),
    company_size: text('Size band, such as `50+`.'),
    company_type: text('Type of company, such as public company.'),
    abn_operation_status: text('Operating status from the business register.'),
    locations: texts('Locations.'),
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
        anzsic: text('Australian and New Zealand Standard Industrial Classification code.'),
        abn: text('Australian Business Number.'),
        acn: text('Australian Company Number.'),
        nzbn: text('New Zealand Business Number.'),
        uen: text('Singapore Unique Entity Number.'),
      },
      'Register numbers and industry codes, always text.',
    ),
    keywords: texts('Keywords.'),
    org_registers: textMap('Registers that list the company: label of each register, by its key.'),
    states: texts('Region codes.'),
    nextGen: NextGen,
  })
  .describe('A company profile.')
  .meta({ id: 'Company' });

export type Company = z.output<typeof Company>;

export const Person = z
  .looseObject({
    person_id: z.string().min(1).describe('Identifier of the person.'),
    position: text('Position title.'),
    company_name: text('Name of the company.'),
    network: text("Slug of the person's profile on a professional network."),
    has_email: flag('Whether a work e-mail address exists.'),
    has_personal_email: flag('Whether a personal e-mail address exists.'),
    has_phone: flag('Whether a phone number exists.'),
    has_dnd_phone: flag('Whether one of the phone numbers is on a do-not-disturb list.'),
    has_mobile: flag('Whether a mobile number exists.'),
  })
  .describe('A person found by a search. The flags only say whether a contact detail exists.')
  .meta({ id: 'Person' });

export type Person = z.output<typeof Person>;
