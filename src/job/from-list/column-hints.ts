/** What a header says about its column. Cells decide; hints change the shares that are needed. */
export interface ColumnHints {
  readonly abn: boolean;
  /** The header says ABN or ACN, so numbers with wrong check digits are meant as such too. */
  readonly namesRegister: boolean;
  readonly domain: boolean;
  readonly email: boolean;
  readonly network: boolean;
  readonly country: boolean;
  /** The column holds codes that look like countries: states, languages, currencies. */
  readonly isOtherCode: boolean;
  /** The column is about a person. A work e-mail address still names the company. */
  readonly isPerson: boolean;
  /** The column names something other than the company of the row: a source, an owner, a file. */
  readonly isUnrelated: boolean;
  /** The column holds names of companies, some of which look like domains: Booking.com. */
  readonly isName: boolean;
}

export function columnHints(header: string): ColumnHints {
  const words = wordsOf(header);
  const isSocial = social.test(words);
  return {
    abn: abn.test(words) || register.test(words),
    namesRegister: register.test(words),
    domain: domain.test(words) && !isSocial,
    email: email.test(words),
    network: network.test(words),
    country: country.test(words) && !otherCountry.test(words),
    isOtherCode: otherCode.test(words) && !country.test(words),
    isPerson: person.test(words),
    isUnrelated: unrelated.test(words),
    isName: name.test(words) && !domain.test(words) && !isSocial,
  };
}

const register = /\b(?:abn|acn|arbn)s?\b/;
const abn = /\b(?:biz|business|company|registration) (?:no|nr|num|number)\b/;
const domain = /\b(?:website|websites|web|url|domain|domains|fqdn|homepage|site|hostname|www)\b/;
const email = /\b(?:e ?mail|emails|mail)\b/;
const network = /\b(?:linkedin|linked in|ln (?:url|slug))\b/;
const country = /\b(?:country|nation)\b/;
const otherCountry = /\b(?:dial|dialling|calling|phone|birth|citizenship)\b/;
const otherCode =
  /\b(?:state|states|region|province|language|languages|lang|locale|currency|currencies)\b/;
const social =
  /\b(?:linkedin|linked in|facebook|twitter|instagram|youtube|tiktok|crunchbase|logo|image|photo)\b/;
const person = /\b(?:person|contact|profile|people|employee)\b/;
const unrelated =
  /\b(?:personal|private|source|sources|referrer|referer|owner|created|crm|record|article|news|files?|filename|filenames|attachments?|documents?)\b/;
const name =
  /\b(?:name|company|account|organisation|organization|business|brand|employer|client)\b/;

/** `companyDomain`, `COMPANY_DOMAIN` and `Company-Domain` are the same words. */
export function wordsOf(header: string): string {
  return header
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
