import { type IdentifierKind, identifierKinds } from '../contract/identifier-kinds.ts';

export const readings = [...identifierKinds, 'auto'] as const;
export type Reading = (typeof readings)[number];

/** How a column of a list can be read. */
export const columnReadings = [...readings, 'name'] as const;
export type ColumnReading = (typeof columnReadings)[number];

export interface Identifier {
  readonly kind: IdentifierKind;
  readonly value: string;
}

export interface Identified extends Identifier {
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
    message: 'The cell is empty or says that the value is unknown.',
    fix: 'Fill in the cell, or name a second column to identify companies by.',
  },
  abn_checksum: {
    message: 'The check digits do not match: at least one digit is wrong, or two are swapped.',
    fix: 'Copy the number again from an invoice or from abr.business.gov.au.',
  },
  abn_length: {
    message: 'An ABN has 11 digits and an ACN has 9; this number has neither.',
    fix: 'Look for missing digits. If an ACN lost its leading zeros, write ACN before the number; Dossier adds the zeros.',
  },
  precision_lost: {
    message: 'A spreadsheet rounded this number; its last digits are lost.',
    fix: 'Export the list again from the system it came from. In a spreadsheet, import this column as text.',
  },
  unsupported_register: {
    message: 'This number is from a register that the service cannot search (NZBN or UEN).',
    fix: 'Use the website or the professional-network URL of the company instead.',
  },
  not_a_domain: {
    message: 'This is not a domain, URL or e-mail address.',
    fix: 'Write the domain alone, such as acme.com.au. docs/names.md says how to look up names.',
  },
  public_suffix: {
    message:
      'This is only a domain ending that many companies share; the name before it is missing.',
    fix: 'Write the whole domain, such as acme.com.au.',
  },
  unknown_tld: {
    message: 'No public domain has this ending.',
    fix: 'Look for a typo after the last dot. Endings such as .local belong to private networks.',
  },
  ip_address: {
    message: 'This is the IP address of a machine, not the domain of a company.',
    fix: 'Write the domain of the company.',
  },
  freemail: {
    message:
      'The e-mail address belongs to a public mail provider, so it does not identify a company.',
    fix: 'Use a work e-mail address or the website of the company.',
  },
  platform_page: {
    message:
      'This is a page or short link on a platform, so its domain is the platform’s, not the company’s.',
    fix: 'Use the company’s own website. Move professional-network URLs into a column of their own.',
  },
  userinfo: {
    message: 'The URL has text before an @, which hides the site it really leads to.',
    fix: 'Remove everything between // and @ if the rest is the company’s domain.',
  },
  multiple_values: {
    message: 'The cell holds several different values, and only one company can be looked up.',
    fix: 'Keep one value, or split the cell into columns that are tried in turn.',
  },
  not_a_network_url: {
    message: 'This is not the URL of a page on the professional network.',
    fix: 'Copy the URL of the company page: linkedin.com/company/…',
  },
  network_person: {
    message: 'This is the page of a person, not of a company.',
    fix: 'Open the page of the person’s employer on the network and copy its URL.',
  },
  network_shortlink: {
    message: 'This is a short link; only the network knows which page it leads to.',
    fix: 'Open the link in a browser and copy the URL of the page it leads to.',
  },
  network_showcase: {
    message: 'This is a showcase page: a brand or product of a company, not the company.',
    fix: 'Open the page of the company behind it on the network and copy its URL.',
  },
  network_no_company: {
    message: 'This page on the network does not name a company.',
    fix: 'Copy the URL of the company page: linkedin.com/company/…',
  },
  unsupported_country: {
    message: 'The service does not cover this country, or this is not a country name.',
    fix: 'Use one of AU NZ SG MY ID PH HK JP VN KR TH US CA, or leave the cell empty for the default.',
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

// Shared objects, because a list may have a million rejected cells.
const rejects = new Map<RejectCode, Reject>(
  rejectCodes.map((code) => [code, { reject: code, message: rejectCatalog[code].message }]),
);

export function rejectAs(code: RejectCode): Reject {
  return rejects.get(code) as Reject;
}

/** A name where an identifier is needed. */
export const rejectedName: Reject = {
  reject: 'not_a_domain',
  message:
    'This looks like a company name. With a register, `dossier register find` says which ABN it means.',
};
