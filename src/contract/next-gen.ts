import { z } from 'zod';
import { decimal, part, text, whole } from './fields.ts';

// The interface says boolean, integer and number for these three, but answers hold other types too.
const verified = z.union([z.boolean(), z.number(), z.string()]).nullish();
const recommendation = z.union([z.number(), z.string()]).nullish();
const reviewsUrl = z.union([z.number(), z.string()]).nullish();

const SocialProfile = z
  .looseObject({
    profile_name: text('Name shown on the profile.'),
    handle: text('Handle of the profile.'),
    followers: whole('Number of followers.'),
    verified: verified.describe('The platform has verified the profile.'),
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
    ceo_approval_rating: text('Approval of the chief executive, decimal.'),
    career_opportunities_rating: text('Career opportunities, decimal.'),
    compensation_and_benefits_rating: text('Compensation and benefits, decimal.'),
    culture_and_values_rating: text('Culture and values, decimal.'),
    diversity_and_inclusion_rating: text('Diversity and inclusion, decimal.'),
    senior_management_rating: text('Senior management, decimal.'),
    work_life_balance_rating: text('Work-life balance, decimal.'),
  },
  'Ratings by aspect.',
);

const ReviewsRating = part(
  {
    ceo_approval: text('Approval of the chief executive, decimal.'),
    total_reviews: whole('Number of reviews.'),
    rating: Rating,
    overall_rating: text('Overall rating, decimal.'),
    employee_rating_id: text('Identifier of the rating.'),
    recommend_to_friend: recommendation.describe('Share that would recommend the company.'),
    url: reviewsUrl.describe('Address of the reviews.'),
  },
  'Reviews and ratings by employees.',
);

const WebTraffic = part(
  {
    summary: part(
      {
        avg_visit_duration: text('Average duration of a visit.'),
        total_web_visitors: whole('Number of visitors.'),
        bounce_rate: decimal('Share of visits that leave at once.'),
        pages_per_visit: decimal('Pages seen in a visit.'),
      },
      'Summary of the traffic.',
    ),
    traffic_share: part(
      {
        countries: z
          .record(z.string(), z.unknown())
          .nullish()
          .describe('Share of traffic by country; its inner shape is open.'),
        organic: decimal('Share of organic traffic.'),
        paid: decimal('Share of paid traffic.'),
      },
      'Where the traffic comes from.',
    ),
    marketing_channels_distribution: part(
      {
        Direct: decimal('Share of direct visits.'),
        Referrals: decimal('Share of visits by referral.'),
        Search: decimal('Share of visits by search.'),
        Social: decimal('Share of visits by social media.'),
        Mail: decimal('Share of visits by mail.'),
      },
      'Share of each marketing channel.',
    ),
  },
  'Web traffic.',
);

export const NextGen = part(
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
