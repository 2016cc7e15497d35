import type { CellValue, TableColumn, TableRow } from './rows.ts';

/** All that is known of one row; a cell of more than 100,000 characters is cut, and says so. */
export interface WholeRow {
  readonly run: string;
  readonly row: Omit<TableRow, 'cells'>;
  /** Its own cells, under the list's own headers. */
  readonly list: readonly {
    readonly header: string;
    readonly cell: string | null;
    readonly isCut: boolean;
  }[];
  readonly country: string | null;
  /** What it could be found by, best first. */
  readonly identifiers: readonly LookedUpIdentifier[];
  /** When the answer arrived, ISO 8601. */
  readonly fetchedAt: string | null;
  /** When the record last became different, ISO 8601. */
  readonly changedAt: string | null;
  /** Null where the row has no company, or its answer is damaged, which `row.reason` says. */
  readonly company: WholeCompany | null;
  /** The name in the list, where the found company has quite another one. */
  readonly otherName: string | null;
  /** Null where the job searches no people, or there is no company to search. */
  readonly people: FoundPeople | null;
}

export interface LookedUpIdentifier {
  /** `abn`, `fqdn`, … */
  readonly kind: string;
  readonly value: string;
  /** `open` where it was not asked for yet, `spare` where one before it was enough. */
  readonly outcome: 'hit' | 'miss' | 'invalid' | 'oversized' | 'failed' | 'open' | 'spare';
  /** How this run came by the answer; null where it asked for nothing, or keeps what an earlier run found. */
  readonly source: 'called' | 'reused' | 'joined' | null;
  /** What the service said, where it said something. */
  readonly message: string | null;
  /** HTTP status of the answer. */
  readonly httpStatus: number | null;
  readonly attempts: number | null;
  readonly durationMs: number | null;
  /** ISO 8601. */
  readonly answeredAt: string | null;
}

export interface WholeCompany {
  readonly id: string | null;
  readonly name: string | null;
  /** Only fields that have a value, by the groups of the interface. */
  readonly groups: readonly {
    readonly name: string;
    readonly fields: readonly {
      readonly column: TableColumn;
      readonly value: CellValue;
    }[];
  }[];
}

export interface FoundPeople {
  /** Whether all were received, as far as can be told. */
  readonly isComplete: boolean;
  /** They are those of an earlier search: a newer one could not be made to its end. */
  readonly isStale: boolean;
  /** How many there are; `people` has the first hundred. */
  readonly total: number;
  readonly columns: readonly Pick<TableColumn, 'name' | 'label' | 'type'>[];
  readonly people: readonly (readonly CellValue[])[];
}
