/** What a header says about its column; values decide, and hints move the thresholds. */
export interface ColumnHints {
  readonly abn: boolean;
  readonly domain: boolean;
  readonly email: boolean;
  readonly network: boolean;
  readonly country: boolean;
  /** The column is about a person, or about where a row came from. */
  readonly isAside: boolean;
  /** The column holds names of companies, which may look like domains: Booking.com. */
  readonly isName: boolean;
}

export function columnHints(header: string): ColumnHints {
  const words = wordsOf(header);
  const isSocial = social.test(words);
  return {
    abn: abn.test(words),
    domain: domain.test(words) && !isSocial,
    email: email.test(words),
    network: network.test(words),
    country: country.test(words) && !otherCountry.test(words),
    isAside: aside.test(words),
    isName: name.test(words) && !domain.test(words) && !isSocial,
  };
}

const abn = /\b(?:abn|acn|arbn|(?:biz|business|company|registration) (?:no|nr|num|number))\b/;
const domain = /\b(?:website|websites|web|url|domain|domains|fqdn|homepage|site|hostname|www)\b/;
const email = /\b(?:e ?mail|emails|mail)\b/;
const network = /\b(?:linkedin|linked in|ln (?:url|slug))\b/;
const country = /\b(?:country|nation)\b/;
const otherCountry = /\b(?:dial|dialling|calling|phone|birth|citizenship)\b/;
const social =
  /\b(?:linkedin|linked in|facebook|twitter|instagram|youtube|tiktok|crunchbase|logo|image|photo)\b/;
const aside =
  /\b(?:person|personal|contact|profile|people|employee|source|referrer|owner|created|crm|record)\b/;
const name =
  /\b(?:name|company|account|organisation|organization|business|brand|employer|client)\b/;

/** `companyDomain`, `COMPANY_DOMAIN` and `Company-Domain` are the same words. */
function wordsOf(header: string): string {
  return header
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
