/** The names of a company as its answer spells them; empty where the answer has none. */
export interface CompanyNames {
  readonly abn: string;
  readonly acn: string;
  readonly fqdn: string;
  readonly website: string;
  readonly network: string;
  readonly socialNetwork: string;
}

/** Where `readNames` looks; a list holds names of fields within a field. */
export const nameFields = {
  fqdn: true,
  website: true,
  network: true,
  linkedin: true,
  industry_codes: ['abn', 'acn'],
  social_media: ['network', 'linkedin'],
} as const;

type Json = Record<string, unknown>;

/** Reads an answer of any shape; what is not text says nothing. */
export function readNames(answer: unknown): CompanyNames {
  const company = asObject(answer);
  const codes = asObject(company.industry_codes);
  const social = asObject(company.social_media);
  return {
    abn: asText(codes.abn),
    acn: asText(codes.acn),
    fqdn: asText(company.fqdn),
    website: asText(company.website),
    // `nameNetwork` reads both spellings, too, but copies the whole company.
    network: asText(company.network ?? company.linkedin),
    socialNetwork: asText(social.network ?? social.linkedin),
  };
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
