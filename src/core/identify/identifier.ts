import { type IdentifierKind, identifierKinds } from '../contract/identifier-kinds.ts';

export const readings = [...identifierKinds, 'auto'] as const;
export type Reading = (typeof readings)[number];

export interface Identifier {
  readonly kind: IdentifierKind;
  readonly value: string;
}

export interface Identified extends Identifier {
  /** The value is the ABN derived from the ACN in the cell. */
  readonly derivedFrom?: 'acn';
  readonly alternates?: readonly Identifier[];
}

export type CellResult = Identified | Reject;

export function isReject<Accepted extends object>(result: Accepted | Reject): result is Reject {
  return 'reject' in result;
}

/** docs/identifiers.md is generated from this table. */
export const rejectCatalog = {
  blank: {
    message: 'The cell is empty or says that nothing is known.',
    fix: 'Fill it in, or name a second column to identify by.',
  },
  abn_checksum: {
    message: 'The check digits do not fit: at least one digit is wrong or two are swapped.',
    fix: 'Copy the number again from an invoice or from abr.business.gov.au.',
  },
  abn_length: {
    message: 'An ABN has 11 digits and an ACN has 9; this has another number of digits.',
    fix: 'Look for lost zeros or digits. Write ACN before a company number that lost its zeros.',
  },
  precision_lost: {
    message: 'A spreadsheet has rounded this number; its last digits are gone.',
    fix: 'Format the column as text in the spreadsheet and export it again from the source.',
  },
  unsupported_register: {
    message: 'This is a number of a register that the service cannot search (NZBN or UEN).',
    fix: 'Use the website or the network page of the company instead.',
  },
  not_a_domain: {
    message: 'This is not a domain, a web address or an e-mail address.',
    fix: 'Write the domain alone, such as acme.com.au.',
  },
  public_suffix: {
    message: 'This is an ending that many companies share; the name in front of it is missing.',
    fix: 'Write the whole domain, such as acme.com.au.',
  },
  unknown_tld: {
    message: 'No domain in the world has this ending.',
    fix: 'Look for a typing error after the last dot; .local and the like are private networks.',
  },
  ip_address: {
    message: 'This is the address of a machine, not the domain of a company.',
    fix: 'Write the domain of the company.',
  },
  freemail: {
    message: 'The address is with a mail provider for everyone, so it does not name a company.',
    fix: 'Use a work address or the website of the company.',
  },
  platform_page: {
    message: 'This is a page or short link on a platform, and the domain is the platform’s.',
    fix: 'Use the company’s own website; read a network page as ln_url.',
  },
  userinfo: {
    message: 'The address has a name before an @, which hides where it really leads.',
    fix: 'Remove everything between // and @ if the rest is the company’s domain.',
  },
  multiple_values: {
    message: 'The cell holds several different values, and only one company can be looked up.',
    fix: 'Keep one, or split the cell into columns that are tried in turn.',
  },
  not_a_network_url: {
    message: 'This is not the address of a page on the professional network.',
    fix: 'Copy the address of the company page: linkedin.com/company/…',
  },
  network_person: {
    message: 'This is the page of a person, not of a company.',
    fix: 'Open the person’s employer on the network and copy that address.',
  },
  network_shortlink: {
    message: 'This is a short link, and where it leads is known only to the network.',
    fix: 'Open it in a browser and copy the address that it leads to.',
  },
  network_showcase: {
    message: 'This is a showcase page: a brand or product of a company, not the company.',
    fix: 'Open the company behind it on the network and copy that address.',
  },
  network_no_company: {
    message: 'This page of the network does not name a company.',
    fix: 'Copy the address of the company page: linkedin.com/company/…',
  },
  unsupported_country: {
    message: 'The service does not cover this country, or this is not the name of one.',
    fix: 'Use one of AU NZ SG MY ID PH HK JP VN KR TH US CA, or leave it empty for the default.',
  },
} as const satisfies Record<
  string,
  {
    readonly message: string;
    readonly fix: string;
  }
>;

export type RejectCode = keyof typeof rejectCatalog;

export interface Reject {
  readonly reject: RejectCode;
  readonly message: string;
}

export const rejectCodes = Object.keys(rejectCatalog) as RejectCode[];

// Shared, because a list may have a million rejected cells.
const rejects = new Map<RejectCode, Reject>(
  rejectCodes.map((code) => [code, { reject: code, message: rejectCatalog[code].message }]),
);

export function rejectAs(code: RejectCode): Reject {
  return rejects.get(code) as Reject;
}
