import type { IdentifierKind } from '../../src/core/contract/identifier-kinds.ts';
import type { Reading, RejectCode } from '../../src/core/identify/identifier.ts';

export interface AcceptedExample {
  readonly input: string;
  readonly as: Reading;
  readonly kind: IdentifierKind;
  readonly value: string;
}

interface AcceptedFamily {
  readonly title: string;
  readonly rule: string;
  readonly examples: readonly AcceptedExample[];
}

/** Every form of identifier that is accepted. docs/identifiers.md is generated from this table. */
export const acceptedFamilies = [
  {
    title: 'Business numbers',
    rule: 'An ABN with or without words, spaces and branch digits; its check digits must fit. An ACN or ARBN gives the ABN that is derived from it. A labelled ACN may have lost up to two leading zeros.',
    examples: [
      { input: 'ABN: 51-824-753-556', as: 'abn', kind: 'abn', value: '51824753556' },
      { input: '51824753556.0', as: 'abn', kind: 'abn', value: '51824753556' },
      { input: '51 824 753 556 / 001', as: 'abn', kind: 'abn', value: '51824753556' },
      { input: '5.1824753556E+10', as: 'abn', kind: 'abn', value: '51824753556' },
      { input: '065 475 149', as: 'abn', kind: 'abn', value: '47065475149' },
      { input: 'ACN 4085616', as: 'abn', kind: 'abn', value: '53004085616' },
    ],
  },
  {
    title: 'Domains and web addresses',
    rule: 'The domain that a company registers, by the Public Suffix List, in lower case and punycode. The fuller host is kept as an alternate, which is tried after a miss. A host of its own with a hosting service is kept whole. Parentheses, labels, doubled schemes and addresses wrapped by a search engine are seen through.',
    examples: [
      {
        input: 'HTTPS://www.Acme.com.au:443/about',
        as: 'fqdn',
        kind: 'fqdn',
        value: 'acme.com.au',
      },
      { input: 'shop.example.com.au', as: 'fqdn', kind: 'fqdn', value: 'example.com.au' },
      { input: 'müller.de', as: 'fqdn', kind: 'fqdn', value: 'xn--mller-kva.de' },
      { input: 'https//acme.com', as: 'fqdn', kind: 'fqdn', value: 'acme.com' },
      { input: 'acme.com (AU)', as: 'fqdn', kind: 'fqdn', value: 'acme.com' },
      { input: 'foo.github.io', as: 'fqdn', kind: 'fqdn', value: 'foo.github.io' },
      { input: 'linkedin.com', as: 'fqdn', kind: 'fqdn', value: 'linkedin.com' },
    ],
  },
  {
    title: 'E-mail addresses',
    rule: 'The domain of the address, unless it is a mail provider for everyone. In a column of domains the same providers are companies like any other.',
    examples: [
      { input: 'Jane <jane@acme.com>', as: 'fqdn', kind: 'fqdn', value: 'acme.com' },
      { input: 'mailto:jane@smec.com.au', as: 'fqdn', kind: 'fqdn', value: 'smec.com.au' },
      { input: 'jane@telstra.com', as: 'auto', kind: 'fqdn', value: 'telstra.com' },
      { input: 'gmail.com', as: 'fqdn', kind: 'fqdn', value: 'gmail.com' },
    ],
  },
  {
    title: 'Websites',
    rule: 'As `website`, the same domain written as an address. Scheme, www, port and path are spellings of one website, so they are left out.',
    examples: [
      {
        input: 'http://www.acme.com.au/contact',
        as: 'website',
        kind: 'website',
        value: 'https://acme.com.au/',
      },
    ],
  },
  {
    title: 'Pages of the professional network',
    rule: 'A named company page gives its slug; a numbered page and a school page give their address. Country and mobile hosts, tracking, login walls, Sales Navigator and URNs are seen through. As `ln_slug` a bare slug is understood too.',
    examples: [
      {
        input: 'https://au.linkedin.com/company/SMEC/about/?trk=x',
        as: 'ln_url',
        kind: 'ln_slug',
        value: 'smec',
      },
      { input: 'company/smec', as: 'ln_url', kind: 'ln_slug', value: 'smec' },
      { input: 'SMEC', as: 'ln_slug', kind: 'ln_slug', value: 'smec' },
      {
        input: 'https://www.linkedin.com/sales/company/90878032',
        as: 'ln_url',
        kind: 'ln_url',
        value: 'https://www.linkedin.com/company/90878032',
      },
      {
        input: 'urn:li:organization:1035',
        as: 'auto',
        kind: 'ln_url',
        value: 'https://www.linkedin.com/company/1035',
      },
      {
        input: 'https://www.linkedin.com/edu/university-of-sydney-10214',
        as: 'ln_url',
        kind: 'ln_url',
        value: 'https://www.linkedin.com/school/university-of-sydney-10214',
      },
    ],
  },
  {
    title: 'Ids of the service',
    rule: 'As `id`, any one line of text. `auto` takes only an id that looks like one of the service, `c_1042`.',
    examples: [
      { input: '"c_1042"', as: 'id', kind: 'id', value: 'c_1042' },
      { input: 'c_5q7s4ezs', as: 'auto', kind: 'id', value: 'c_5q7s4ezs' },
    ],
  },
] as const satisfies readonly AcceptedFamily[];

/** Cells that are rejected for each reason, and what they are read as. */
export const rejectExamples: Record<
  RejectCode,
  readonly (readonly [input: string, as: Reading | 'country'])[]
> = {
  blank: [
    ['', 'abn'],
    ['n/a', 'fqdn'],
    ['#N/A', 'auto'],
  ],
  abn_checksum: [
    ['51 824 753 557', 'abn'],
    ['004 085 617', 'abn'],
  ],
  abn_length: [
    ['5182475355', 'abn'],
    ['4085616', 'abn'],
  ],
  precision_lost: [
    ['5.18E+10', 'abn'],
    ['51824800000', 'abn'],
  ],
  unsupported_register: [
    ['9429036975273', 'abn'],
    ['201912345K', 'auto'],
  ],
  not_a_domain: [
    ['acme', 'fqdn'],
    ['smec,com', 'fqdn'],
    ['Acme Pty Ltd', 'auto'],
  ],
  public_suffix: [
    ['com.au', 'fqdn'],
    ['github.io', 'fqdn'],
  ],
  unknown_tld: [
    ['example.con', 'fqdn'],
    ['acme.local', 'fqdn'],
  ],
  ip_address: [
    ['192.168.1.1', 'fqdn'],
    ['http://[::1]/', 'fqdn'],
  ],
  freemail: [
    ['jane@gmail.com', 'fqdn'],
    ['jane@bigpond.com', 'auto'],
  ],
  platform_page: [
    ['facebook.com/acme', 'fqdn'],
    ['sites.google.com/view/acme', 'website'],
  ],
  userinfo: [['https://example.com.au@evil.com/', 'fqdn']],
  multiple_values: [
    ['smec.com; smec.com.au', 'fqdn'],
    ['51 824 753 556, 47 065 475 149', 'abn'],
  ],
  not_a_network_url: [
    ['https://notlinkedin.com/company/smec', 'ln_url'],
    ['smec', 'ln_url'],
  ],
  network_person: [['https://www.linkedin.com/in/jane-doe', 'auto']],
  network_shortlink: [['https://lnkd.in/gx5Ab9', 'ln_url']],
  network_showcase: [['https://www.linkedin.com/showcase/acme-cloud/', 'ln_url']],
  network_no_company: [
    ['https://www.linkedin.com/company/', 'ln_url'],
    ['https://www.linkedin.com/jobs/view/3801', 'ln_url'],
  ],
  unsupported_country: [
    ['Germany', 'country'],
    ['NSW', 'country'],
  ],
};
