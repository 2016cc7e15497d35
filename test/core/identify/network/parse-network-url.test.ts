import { describe, expect, test } from 'vitest';
import { identifyCell } from '../../../../src/core/identify/identify-cell.ts';
import { slugOf } from '../../../../src/core/identify/parse-network-url.ts';
import { outcome } from '../../../support/outcome.ts';

const smec = 'ln_slug smec';
const page1035 = 'ln_url https://www.linkedin.com/company/1035';

describe('company pages', () => {
  test.each([
    ['HTTPS://WWW.LINKEDIN.COM/COMPANY/SMEC/', smec],
    ['linkedin.com/company/smec/?viewAsMember=true', smec],
    ['linkedin.com/company/smec/posts/', smec],
    ['linkedin.com/company/smec/jobs', smec],
    ['linkedin.com//company//smec', smec],
    ['linkedin.com:443/company/smec', smec],
    ['http:/www.linkedin.com/company/smec', smec],
    ['fr.linkedin.com/company/smec/fr-fr', smec],
    ['linkedin.com/comm/company/smec', smec],
    ['linkedin.com/mwlite/company/smec', smec],
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
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'ln_url'))).toBe(expected);
  });
});

describe('junk around an address', () => {
  test.each([
    ['linkedin.com/company/smec,', smec],
    ['(linkedin.com/company/smec).', smec],
    ['linkedin.com/company/smec%20', smec],
    ['linkedin.com/company/smec&trk=x', smec],
    ['linkedin.com/company/smec</a>', smec],
    ['linkedin.com/company/smec (Australia)', smec],
    ['LinkedIn: https://www.linkedin.com/company/smec', smec],
    ['linkedin.com/company/smec\nwww.linkedin.com/company/smec/', smec],
    ['linkedin.com/company/smec linkedin.com/company/acme', 'multiple_values'],
    ['acme.com, linkedin.com/company/acme', 'multiple_values'],
    ['linkedin.com/company/smec%20australia', 'network_no_company'],
    ['https://www.linkedin.com/company/smec group', 'network_no_company'],
    ['linkedin.com/company/smec & partners/about', 'network_no_company'],
    ['linkedin.com/company/smec and partners', 'network_no_company'],
    ['linkedin.com/company/smec and linkedin.com/company/smec', smec],
    ['linkedin.com/company/smec - our page', smec],
    ['linkedin.com/company/smec/ our page', smec],
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'ln_url'))).toBe(expected);
  });
});

describe('login walls and redirects', () => {
  const target = 'https%3A%2F%2Fwww.linkedin.com%2Fcompany%2Fsmec%2F';
  test.each([
    [`https://www.linkedin.com/authwall?trk=x&sessionRedirect=${target}`, smec],
    [`https://www.linkedin.com/login?session_redirect=${target}`, smec],
    [`https://www.linkedin.com/login/de?session_redirect=${target}`, smec],
    [`https://www.linkedin.com/uas/login?session_redirect=${target}`, smec],
    ['https://www.linkedin.com/uas/login?session_redirect=%2Fcompany%2Fsmec', smec],
    [`https://www.linkedin.com/checkpoint/lg/login?session_redirect=${target}`, smec],
    [`https://www.google.com.au/url?sa=t&url=${target}`, smec],
    ['https%3A%2F%2Fwww.linkedin.com%2Fcompany%2Fsmec', smec],
    ['linkedin.com/login?session_redirect=%2Fin%2Fjane', 'network_person'],
    ['https://www.linkedin.com/login', 'network_no_company'],
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'ln_url'))).toBe(expected);
  });

  test('redirects are followed only a few times', () => {
    const wall = (inner: string) =>
      `https://www.linkedin.com/login?session_redirect=${encodeURIComponent(inner)}`;
    const nested = wall(wall(wall(wall(wall('https://www.linkedin.com/company/smec')))));
    expect(outcome(identifyCell(nested, 'ln_url'))).toBe('network_no_company');
  });
});

describe('pages of no company', () => {
  test.each([
    ['linkedin.com/in/jane', 'network_person'],
    ['linkedin.com/pub/jane/1/2/3', 'network_person'],
    ['linkedin.com/profile/view?id=1', 'network_person'],
    ['linkedin.com/talent/profile/x', 'network_person'],
    ['/in/jane', 'network_person'],
    ['urn:li:person:abc', 'network_person'],
    ['lnkd.in', 'network_shortlink'],
    ['linkedin.com/slink?code=x', 'network_shortlink'],
    ['linkedin.com/showcase/acme-cloud', 'network_showcase'],
    ['urn:li:organizationBrand:1', 'network_showcase'],
    ['linkedin.com/groups/123', 'network_no_company'],
    ['linkedin.com/feed/', 'network_no_company'],
    ['linkedin.com/pulse/some-article', 'network_no_company'],
    ['linkedin.com/search/results/companies/?keywords=acme', 'network_no_company'],
    ['linkedin.com/sales/search/people', 'network_no_company'],
    ['linkedin.com/sales/accounts/insights?companyId=1', 'network_no_company'],
    ['linkedin.com/company/unavailable/', 'network_no_company'],
    ['linkedin.com/company/null', 'network_no_company'],
    ['linkedin.com/company/n%2Fa', 'network_no_company'],
    ['linkedin.com/company/N/A/', 'network_no_company'],
    ['linkedin.com/company/-', 'network_no_company'],
    ['linkedin.com.evil.com/company/smec', 'not_a_network_url'],
    ['https://linkedin.com@evil.com/company/smec', 'not_a_network_url'],
    ['https://jane@linkedin.com/company/smec', 'userinfo'],
    ['jane@linkedin.com', 'not_a_network_url'],
    ['acme.com', 'not_a_network_url'],
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'ln_url'))).toBe(expected);
  });
});

describe('slugs', () => {
  test.each([
    ['SMEC', smec],
    ['@smec', smec],
    ['/smec/', smec],
    ['smec?trk=x', smec],
    ['www.linkedin.com/company/smec', smec],
    ['1035', page1035],
    ['Café-Noir', 'ln_slug café-noir'],
    ['none', 'blank'],
    ['acme pty ltd', 'not_a_network_url'],
    ['https://acme.com', 'not_a_network_url'],
    ['jane@acme.com', 'not_a_network_url'],
    ['linkedin.com', 'network_no_company'],
    ['in/jane', 'network_person'],
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'ln_slug'))).toBe(expected);
  });

  test.each([
    ['https://au.linkedin.com/company/SMEC/', 'smec'],
    ['Smec', 'smec'],
    ['https://www.linkedin.com/company/1035', '1035'],
    ['https://www.linkedin.com/school/uni-x', 'uni-x'],
    ['https://www.linkedin.com/in/jane', null],
    ['', null],
  ])('the slug of %j is %j', (text, slug) => expect(slugOf(text)).toBe(slug));
});
