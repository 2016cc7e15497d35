import { type IdentifierKind, identifierKinds } from '../contract/identifier-kinds.ts';
import type { Reject } from './rejects.ts';

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
