import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type AcceptedExample,
  acceptedFamilies,
  rejectExamples,
} from '../../../scripts/docs/identifier-examples.ts';
import { identifierKinds } from '../../../src/core/contract/identifier-kinds.ts';
import {
  type CellResult,
  isReject,
  type Reading,
  rejectCatalog,
  rejectCodes,
} from '../../../src/core/identify/identifier.ts';
import { identifyCell } from '../../../src/core/identify/identify-cell.ts';
import { parseCountry } from '../../../src/core/identify/parse-country.ts';

const taxOffice = 'abn 51824753556';
const fromAcn = 'abn 53004085616 from acn';
const acme = 'fqdn acme.com';
const smec = 'ln_slug smec';
const page1035 = 'ln_url https://www.linkedin.com/company/1035';
const target = 'https%3A%2F%2Fwww.linkedin.com%2Fcompany%2Fsmec%2F';

const cases: Readonly<Record<Reading, readonly (readonly [text: string, expected: string])[]>> = {
  abn: [
    // Words and punctuation around the number
    ['A.B.N. 51 824 753 556', taxOffice],
    ['Acme Pty Ltd (ABN 51 824 753 556)', taxOffice],
    ['AU51824753556', taxOffice],
    ['51 824 753 556 (GST registered since 2000)', taxOffice],
    ['51‑824‑753‑556', taxOffice],
    ['51,824,753,556.00', taxOffice],
    ['51.824.753.556', taxOffice],
    // Two numbers that name one company, and two that do not
    ['ABN 53 004 085 616 ACN 004 085 616', 'abn 53004085616'],
    ['51824753556\n51 824 753 556', taxOffice],
    ['ABN 51824753556 ACN 004085616', 'multiple_values'],
    ['51 824 753 556 / 47 065 475 149', 'multiple_values'],
    ['51 824 753 556 47 065 475 149', 'multiple_values'],
    // Branches
    ['51824753556/001', taxOffice],
    ['ABN 51824753556 004', taxOffice],
    ['51 824 753 556 0041', 'abn_length'],
    // Company numbers
    ['004 085 616', fromAcn],
    ['ACN 004 085 616', fromAcn],
    ['ARBN 004085616', fromAcn],
    ['ABN/ACN: 004 085 616', fromAcn],
    ['ACN 4085616.0', fromAcn],
    ['ACN 4085617', 'abn_checksum'],
    ['ACN 123456', 'abn_length'],
    ['Ref 004 085 616', 'abn_length'],
    // What spreadsheets do
    ['5,18E+10', 'precision_lost'],
    ['ABN 5.18E+10', 'precision_lost'],
    ['5.1824753557E+10', 'abn_checksum'],
    // Rounded numbers that were formatted in groups again
    ['51 824 750 000', 'precision_lost'],
    // Fewer digits than an ABN has, none of them lost
    ['6.5475149E+7', 'abn_length'],
    ['ACN 6.5475149E+7', 'abn 47065475149 from acn'],
    ['6.547515E+7', 'precision_lost'],
    ['00000000000', 'abn_checksum'],
    // Check digits that the modulus alone would accept
    ['10000000000', 'precision_lost'],
    ['10 000 000 001', 'abn_checksum'],
    ['99 000 000 000', 'abn 99000000000'],
    // Other registers
    ['NZBN: 9429036975274', 'unsupported_register'],
    ['T08LL1234A', 'unsupported_register'],
    ['UEN 201912345K', 'unsupported_register'],
    // No number at all, or another
    ['ABN: n/a', 'abn_length'],
    ['(02) 9999 9999', 'abn_length'],
    ['51 824 753 55G', 'abn_length'],
    // Spellings of spreadsheets and other scripts
    ['51\u00a0824\u00a0753\u00a0556', taxOffice],
    ['51–824–753–556', taxOffice],
  ],
  fqdn: [
    ['https://www.Acme.com:8080/about?x=1#y', acme],
    ['http:acme.com', acme],
    ['http.//acme.com', acme],
    ['https://https//www.acme.com', acme],
    ['acme.com..', acme],
    ['www2.acme.com', acme],
    ['acme。com', acme],
    ['acme%2ecom', acme],
    ['web:acme.com', acme],
    ['my_shop.acme.com', acme],
    ['MÜLLER.DE', 'fqdn xn--mller-kva.de'],
    ['i❤️.ws', 'fqdn xn--i-7iq.ws'],
    ['shop.acme.com.au', 'fqdn acme.com.au or shop.acme.com.au'],
    ['99designs.com', 'fqdn 99designs.com'],
    ['my_company.com', 'not_a_domain'],
    ['acme.com:port', 'not_a_domain'],
    ['?x=1', 'not_a_domain'],
    ['www.acme', 'not_a_domain'],
    ['51824753556', 'not_a_domain'],
    ['file:///c:/acme.com', 'not_a_domain'],
    ['xn--.com', 'not_a_domain'],
    [`${'a'.repeat(64)}.com`, 'not_a_domain'],
    [`${'abc.'.repeat(63)}com`, 'not_a_domain'],
    ['report.pdf', 'unknown_tld'],
    ['acme.onion', 'unknown_tld'],
    ['1.168.192.in-addr.arpa', 'unknown_tld'],
    ['acme.home.arpa', 'unknown_tld'],
    ['co.uk', 'public_suffix'],
    ['www.com.au', 'public_suffix'],
    ['www.blogspot.com', 'public_suffix'],
    // The host of a customer below a shared ending names one company, so it is kept whole.
    ['bar.foo.github.io', 'fqdn foo.github.io or bar.foo.github.io'],
    ['acme.myshopify.com/products', 'fqdn acme.myshopify.com'],
    ['acme.wordpress.com/about', 'fqdn acme.wordpress.com'],
    ['wordpress.com', 'fqdn wordpress.com'],
    ['acme.my.canva.site', 'fqdn acme.my.canva.site'],
    ['acme.bsky.social', 'fqdn acme.bsky.social'],
    ['foo.blogspot.com', 'fqdn foo.blogspot.com'],
    ['foo.blogspot.com.au/2020/01', 'fqdn foo.blogspot.com.au'],
    ['jane@acme.onmicrosoft.com', 'fqdn acme.onmicrosoft.com'],
    ['blog.slack.com', 'fqdn slack.com or blog.slack.com'],
    ['facebook.com', 'fqdn facebook.com'],
    ['https://facebook.com/?#', 'fqdn facebook.com'],
    ['https://www.facebook.com/#!/acme', 'platform_page'],
    ['facebook.com?id=123', 'platform_page'],
    ['discord.com/invite/acme', 'platform_page'],
    ['discord.com', 'fqdn discord.com'],
    ['pinterest.com.au/acme', 'platform_page'],
    ['au.pinterest.com/acme', 'platform_page'],
    ['google.com.au', 'fqdn google.com.au'],
    ['m.facebook.com/acme', 'platform_page'],
    ['google.com.au/maps/place/acme', 'platform_page'],
    ['maps.app.goo.gl/abc', 'platform_page'],
    ['x.com/acme', 'platform_page'],
    ['lnkd.in/abc', 'platform_page'],
    // The target of a search engine's redirect is the address that was meant.
    ['https://www.google.com/url?q=https://acme.com/x&sa=D', acme],
    ['https://l.facebook.com/l.php?u=https%3A%2F%2Facme.com%2F&h=x', acme],
    ['https://www.google.com/url?q=https://facebook.com/acme', 'platform_page'],
    ['"Jane Doe" <jane@acme.com>', acme],
    ['Jane <jane@acme.com>, Bob <bob@acme.com>', acme],
    ['@acme.com', acme],
    ['jane@mail.acme.com', 'fqdn acme.com or mail.acme.com'],
    ['jane@gmail.com, joe@gmail.com', 'freemail'],
    ['jane@acme.com; jane@gmail.com', 'multiple_values'],
    ['http://jane@acme.com', 'userinfo'],
    ['jane:secret@acme.com', 'userinfo'],
    ['jane@', 'not_a_domain'],
    ['jane doe@acme.com', 'not_a_domain'],
    ['jane@acme.con', 'unknown_tld'],
    ['acme@com.au', 'public_suffix'],
    ['acme.com | acme.net', 'multiple_values'],
    ['acme.com and acme.net', 'multiple_values'],
    ['acme.com (acme.net)', 'multiple_values'],
    ['acme.com, facebook.com/acme', 'multiple_values'],
    ['acme.com\nhttps://www.acme.com/', acme],
    ['acme.com or www.acme.com', acme],
    ['acme.com, n/a', acme],
    // Words after a whole URL are its path or a remark; beside a bare domain they may be anything.
    ['https://acme.com/our team', acme],
    ['https://acme.com/a,b;c', acme],
    ['acme.com Sydney', 'not_a_domain'],
    ['Acme Pty Ltd acme.com', 'not_a_domain'],
    ['acme,com.au', 'not_a_domain'],
    ['facebook.com/a, instagram.com/a', 'platform_page'],
    ['1.5', 'not_a_domain'],
    // Spellings of one domain
    ['HTTPS://ACME.COM:443/', acme],
    ['http:\\\\acme.com\\x', acme],
    ['mailto:jane@acme.com?subject=hi', acme],
    ['\ufeff acme．com\u200b ', acme],
  ],
  website: [
    ['Shop.Acme.com.au/x', 'website https://acme.com.au/ or https://shop.acme.com.au/'],
    ['http://www.foo.github.io', 'website https://foo.github.io/'],
    ['facebook.com/acme', 'platform_page'],
    ['acme', 'not_a_domain'],
  ],
  ln_url: [
    ['HTTPS://WWW.LINKEDIN.COM/COMPANY/SMEC/', smec],
    ['linkedin.com/company/smec/?viewAsMember=true', smec],
    ['linkedin.com/company/smec/posts/', smec],
    ['linkedin.com//company//smec', smec],
    ['http:/www.linkedin.com/company/smec', smec],
    ['fr.linkedin.com/company/smec/fr-fr', smec],
    ['linkedin.com/comm/company/smec', smec],
    ['linkedin.com/organization-guest/company/smec', smec],
    ['linkedin.com/companies/1035', page1035],
    ['linkedin.com/company/1035/admin/', page1035],
    ['linkedin.com/company/01035', page1035],
    ['urn:li:fsd_company:1035', page1035],
    ['urn%3Ali%3Aorganization%3A1035', page1035],
    ['linkedin.com/company/johnson-&-johnson', 'ln_slug johnson-&-johnson'],
    ['linkedin.com/company/booking.com', 'ln_slug booking.com'],
    ['linkedin.com/company/cafe%CC%81-noir', 'ln_slug café-noir'],
    ['linkedin.com/company/acme%2Fabout', 'ln_slug acme'],
    ['linkedin.com/school/uni-x/people', 'ln_url https://www.linkedin.com/school/uni-x'],
    ['linkedin.com/edu/school?id=10214', 'ln_url https://www.linkedin.com/school/10214'],
    ['urn:li:school:10214', 'ln_url https://www.linkedin.com/school/10214'],
    ['(linkedin.com/company/smec).', smec],
    ['linkedin.com/company/smec%20', smec],
    ['linkedin.com/company/smec&trk=x', smec],
    ['linkedin.com/company/smec (Australia)', smec],
    ['LinkedIn: https://www.linkedin.com/company/smec', smec],
    ['linkedin.com/company/smec\nwww.linkedin.com/company/smec/', smec],
    ['linkedin.com/company/smec linkedin.com/company/acme', 'multiple_values'],
    ['acme.com, linkedin.com/company/acme', 'multiple_values'],
    ['linkedin.com/company/smec%20australia', 'network_no_company'],
    ['linkedin.com/company/smec%E2%80%93australia', 'network_no_company'],
    ['https://www.linkedin.com/company/smec group', 'network_no_company'],
    ['linkedin.com/company/smec & partners/about', 'network_no_company'],
    ['linkedin.com/company/smec and partners', 'network_no_company'],
    ['linkedin.com/company/smec and linkedin.com/company/smec', smec],
    ['linkedin.com/company/smec - our page', smec],
    ['linkedin.com/company/smec/ our page', smec],
    [`https://www.linkedin.com/authwall?trk=x&sessionRedirect=${target}`, smec],
    [`https://www.linkedin.com/login/de?session_redirect=${target}`, smec],
    ['https://www.linkedin.com/uas/login?session_redirect=%2Fcompany%2Fsmec', smec],
    [`https://www.linkedin.com/checkpoint/lg/login?session_redirect=${target}`, smec],
    [`https://www.google.com.au/url?sa=t&url=${target}`, smec],
    ['https%3A%2F%2Fwww.linkedin.com%2Fcompany%2Fsmec', smec],
    ['linkedin.com/login?session_redirect=%2Fin%2Fjane', 'network_person'],
    ['https://www.linkedin.com/login', 'network_no_company'],
    ['linkedin.com/in/jane', 'network_person'],
    ['linkedin.com/pub/jane/1/2/3', 'network_person'],
    ['/in/jane', 'network_person'],
    ['urn:li:person:abc', 'network_person'],
    ['linkedin.com/slink?code=x', 'network_shortlink'],
    ['linkedin.com/showcase/acme-cloud', 'network_showcase'],
    ['urn:li:organizationBrand:1', 'network_showcase'],
    ['linkedin.com/feed/', 'network_no_company'],
    ['linkedin.com/search/results/companies/?keywords=acme', 'network_no_company'],
    ['linkedin.com/sales/accounts/insights?companyId=1', 'network_no_company'],
    ['linkedin.com/company/unavailable/', 'network_no_company'],
    ['linkedin.com/company/n%2Fa', 'network_no_company'],
    ['linkedin.com/company/N/A/', 'network_no_company'],
    ['linkedin.com.evil.com/company/smec', 'not_a_network_url'],
    ['https://linkedin.com@evil.com/company/smec', 'not_a_network_url'],
    ['https://jane@linkedin.com/company/smec', 'userinfo'],
    ['jane@linkedin.com', 'not_a_network_url'],
    ['acme.com', 'not_a_network_url'],
    ['https://www.linkedin.com/de-de/company/smec/life', smec],
  ],
  ln_slug: [
    ['@smec', smec],
    ['www.linkedin.com/company/smec', smec],
    ['1035', page1035],
    ['Café-Noir', 'ln_slug café-noir'],
    ['none', 'blank'],
    ['acme pty ltd', 'not_a_network_url'],
    ['jane@acme.com', 'not_a_network_url'],
    ['linkedin.com', 'network_no_company'],
    ['in/jane', 'network_person'],
  ],
  id: [
    [' c_1 ', 'id c_1'],
    ['Ａ１', 'id A1'],
    ['a\u0000b', 'id ab'],
    ['n/a', 'blank'],
    ['c_1\nc_2', 'multiple_values'],
  ],
  auto: [
    ['065475149', 'abn 47065475149 from acn'],
    ['ABN 51 824 753 557', 'abn_checksum'],
    ['Acme Pty Ltd ABN 51 824 753 556', 'abn 51824753556'],
    ['0412 345 678', 'abn_length'],
    ['+61 412 345 678', 'not_a_domain'],
    ['5.18E+10', 'precision_lost'],
    ['192.168.1.1', 'ip_address'],
    ['51.824.753.556', 'abn 51824753556'],
    ['9429036975273', 'unsupported_register'],
    ['abn123.com', 'fqdn abn123.com'],
    ['51824753556.com.au', 'fqdn 51824753556.com.au'],
    ['acme', 'not_a_domain'],
    ['company/smec', 'ln_slug smec'],
    ['urn:li:company:1035', 'ln_url https://www.linkedin.com/company/1035'],
    ['linkedin.com', 'fqdn linkedin.com'],
    ['https://www.linkedin.com/', 'fqdn linkedin.com'],
    ['jane@linkedin.com', 'fqdn linkedin.com'],
    ['linkedin.com/jobs/view/1', 'network_no_company'],
    ['/company/n%2Fa', 'network_no_company'],
    ['facebook.com/linkedin.com', 'platform_page'],
    ['lnkd.in/abc', 'network_shortlink'],
    ['notlinkedin.com/company/smec', 'fqdn notlinkedin.com'],
    ['acme.com, linkedin.com/company/acme', 'multiple_values'],
    ['51 824 753 556 | https://acme.com/', 'multiple_values'],
    ['https://acme.com/, ABN 51 824 753 556', 'multiple_values'],
    ['acme.com; www.acme.com', 'fqdn acme.com'],
    ['ABN 53 004 085 616; ACN 004 085 616', 'abn 53004085616'],
    ['https://acme.com/a,b;c', 'fqdn acme.com'],
    ['https://www.linkedin.com/company/smec group', 'network_no_company'],
    ['facebook.com/acme', 'platform_page'],
  ],
};

describe.each(Object.entries(cases))('as %s', (as, rows) => {
  test.each(rows)('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, as as Reading))).toBe(expected);
  });
});

test.each([...'\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d'])(
  'the dash %j of Word or a PDF is a hyphen, and a soft hyphen is nothing',
  (dash) => {
    const read = (text: string, as: Reading) =>
      outcome(identifyCell(text.replaceAll('-', dash).replace('co', 'c\u00ado'), as));
    expect(read('https://acme-group.com.au/about-us', 'fqdn')).toBe('fqdn acme-group.com.au');
    expect(read('jane-ann@acme-group.com', 'auto')).toBe('fqdn acme-group.com');
    expect(read('acme-group.com', 'website')).toBe('website https://acme-group.com/');
    expect(read('linkedin.com/company/acme-group/', 'auto')).toBe('ln_slug acme-group');
    expect(read('acme-group', 'ln_slug')).toBe('ln_slug acme-group');
    expect(read('51-824-753-556', 'auto')).toBe(taxOffice);
    expect(read('-', 'fqdn')).toBe('blank');
  },
);

test.each([
  '192.168.1.1:80',
  'http://3232235777/',
  'http://0x7f000001',
  '0x7f.1',
  'http://1.5/',
  '[::1]',
  '::1',
  '2001:db8:0:0:0:0:0:1',
  'http://[2001:db8::1]:80/x',
  'jane@10.0.0.1',
])('%j is an IP address', (text) => {
  expect(outcome(identifyCell(text, 'fqdn'))).toBe('ip_address');
});

test('redirects are followed only a few times', () => {
  const wall = (inner: string) =>
    `https://www.linkedin.com/login?session_redirect=${encodeURIComponent(inner)}`;
  const nested = wall(wall(wall(wall(wall('https://www.linkedin.com/company/smec')))));
  expect(outcome(identifyCell(nested, 'ln_url'))).toBe('network_no_company');
});

interface Vector {
  readonly input: string;
  readonly as: Reading;
  readonly reject?: string;
}

const vectors = readFileSync('fixtures/vectors/identifiers.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

describe('the agreed cases', () => {
  test('are all there', () => expect(vectors.length).toBeGreaterThanOrEqual(91));

  test.each(vectors)('$input as $as comes out as agreed', ({ input, as, ...expected }) => {
    const { alternates: _, ...result } = identifyCell(input, as) as { alternates?: unknown };
    if (expected.reject === undefined) expect(result).toEqual(expected);
    else expect(result).toMatchObject({ ...expected, message: expect.any(String) });
  });
});

const accepted = acceptedFamilies.flatMap<AcceptedExample>((family) => family.examples);
type ShownKind = (typeof acceptedFamilies)[number]['examples'][number]['kind'];

describe('the documented examples', () => {
  test.each(accepted)('$input as $as is $kind $value', ({ input, as, kind, value }) => {
    expect(identifyCell(input, as)).toMatchObject({ kind, value });
  });

  test('show every kind of identifier', () => {
    // If a kind has no example, this does not compile.
    const kinds = new Set<ShownKind>(identifierKinds);
    expect(new Set(accepted.map(({ kind }) => kind))).toEqual(kinds);
  });

  test.each(rejectCodes)('of %s are rejected so, with a sentence and a remedy', (code) => {
    const { message, fix } = rejectCatalog[code];
    const examples = rejectExamples[code];
    expect(message).toMatch(/^\p{Lu}.+\.$/u);
    expect(fix).toMatch(/^\p{Lu}/u);
    expect(examples.length).toBeGreaterThan(0);
    for (const [input, as] of examples) {
      const result = as === 'country' ? parseCountry(input) : identifyCell(input, as);
      expect(result).toMatchObject({ reject: code });
    }
  });
});

const domainsOf = (text: string) => text.trim().split(/\s+/);

const freeMail = domainsOf(`
  gmail.com hotmail.com.au yahoo.co.nz icloud.com gmx.de proton.me qq.com bigpond.net.au
  internode.on.net xtra.co.nz singnet.com.sg docomo.ne.jp comcast.net mail.yahoo.com`);

const companies = domainsOf(`
  team.telstra.com tpg.com.au nus.edu.sg microsoft.com facebook.com example.com yahoo.acme.com`);

describe('an e-mail address', () => {
  test.each(freeMail)('at %s names no company', (domain) => {
    expect(identifyCell(`jane@${domain}`, 'auto')).toHaveProperty('reject', 'freemail');
  });

  test.each(companies)('at %s names one', (domain) => {
    expect(identifyCell(`jane@${domain}`, 'auto')).toHaveProperty('kind', 'fqdn');
  });
});

test.each(['gmail.com', 'https://www.bigpond.com/', 'outlook.com'])(
  '%s in a column of domains is the company itself',
  (domain) => expect(identifyCell(domain, 'fqdn')).toHaveProperty('kind', 'fqdn'),
);

/** A result in one short line, so that tables of cases stay readable: `fqdn acme.com`. */
function outcome(result: CellResult): string {
  if (isReject(result)) return result.reject;
  const derived = result.derivedFrom ? ` from ${result.derivedFrom}` : '';
  const alternates = (result.alternates ?? []).map(({ value }) => ` or ${value}`).join('');
  return `${result.kind} ${result.value}${derived}${alternates}`;
}
