/** What a header says about its column; values decide, and hints move the thresholds. */
export interface ColumnHints {
  readonly abn: boolean;
  /** The header says ABN or ACN outright, so even numbers that fail are meant as such. */
  readonly namesRegister: boolean;
  readonly domain: boolean;
  readonly email: boolean;
  readonly network: boolean;
  readonly country: boolean;
  /** The column holds something like codes of countries: states, languages, currencies. */
  readonly isOtherCode: boolean;
  /** The column is about a person, who may still have an address at the company. */
  readonly isPerson: boolean;
  /** What the column holds leads to another company: where a row came from, or files. */
  readonly isAside: boolean;
  /** The column holds names of companies, which may look like domains: Booking.com. */
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
    isAside: aside.test(words),
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
const aside =
  /\b(?:personal|private|source|sources|referrer|referer|owner|created|crm|record|article|news|files?|filename|filenames|attachments?|documents?)\b/;
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
