import type { CompanyIdentifiers } from '../../core/contract/company-identifiers.ts';

type Json = Record<string, unknown>;

export function readIdentifiers(answer: unknown): CompanyIdentifiers {
  const company = asObject(answer);
  const codes = asObject(company.industry_codes);
  const social = asObject(company.social_media);
  return {
    abn: asText(codes.abn),
    acn: asText(codes.acn),
    fqdn: asText(company.fqdn),
    website: asText(company.website),
    // Same rule as `nameNetwork`, without copying the whole company.
    network: asText(company.network ?? company.linkedin),
    socialNetwork: asText(social.network ?? social.linkedin),
  };
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function asText(value: unknown) {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
