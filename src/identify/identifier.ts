import { type IdentifierKind, identifierKinds } from '../contract/identifier-kinds.ts';
import type { Reject } from './rejects.ts';

/** What a cell is read as; `auto` decides for each cell by its content. */
export const readings = [...identifierKinds, 'auto'] as const;
export type Reading = (typeof readings)[number];

export interface Identifier {
  readonly kind: IdentifierKind;
  readonly value: string;
}

export interface Identified extends Identifier {
  /** The cell holds an ACN, and the value is the ABN that follows from it. */
  readonly derivedFrom?: 'acn';
  /** Other identifiers of the same cell, to be asked for after a miss. */
  readonly alternates?: readonly Identifier[];
}

export type CellResult = Identified | Reject;

export function isReject<Accepted extends object>(result: Accepted | Reject): result is Reject {
  return 'reject' in result;
}
