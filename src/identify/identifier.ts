import type { Reject } from './rejects.ts';

/** The ways the service can be asked for a company. */
export const identifierKinds = ['id', 'abn', 'fqdn', 'website', 'ln_slug', 'ln_url'] as const;
export type IdentifierKind = (typeof identifierKinds)[number];

/** What a cell is read as; `auto` decides by the cell itself. */
export const readings = [...identifierKinds, 'auto'] as const;
export type Reading = (typeof readings)[number];

export interface Identifier {
  readonly kind: IdentifierKind;
  readonly value: string;
}

export interface Identified extends Identifier {
  /** The value was worked out from another number and was not in the cell. */
  readonly derivedFrom?: 'acn';
  /** Other identifiers of the same cell, worth a try when the first finds nothing. */
  readonly alternates?: readonly Identifier[];
}

export type CellResult = Identified | Reject;

export function isReject<Accepted extends object>(result: Accepted | Reject): result is Reject {
  return 'reject' in result;
}
