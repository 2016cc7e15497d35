import type { InputRow } from '../../input/input-row.ts';
import { type InputOptions, type OpenInput, openInput } from '../../input/open-input.ts';
import type { ListPlace } from '../../runtime/files/local-path.ts';

/** The beginning of a list, and how it was read. */
export interface ListSample
  extends Pick<OpenInput, 'name' | 'format' | 'sheet' | 'hasHeader' | 'headerLine' | 'delimiter'> {
  /** How the text is encoded, named or guessed; undefined for a workbook. */
  readonly encoding: string | undefined;
  /** The encoding where it is a guess: identifiers beyond ASCII are rejected then. */
  readonly guessedEncoding: string | undefined;
  /** What was guessed to read the list. */
  readonly notes: readonly string[];
  readonly header: readonly string[];
  readonly rows: readonly InputRow[];
  /** The list has no further rows. */
  readonly isWhole: boolean;
}

/** Rows that are enough to detect what each column holds. */
const sampleRows = 1_000;
/**
 * Of a list of very many columns fewer rows are enough. Every cell is looked at as every kind of identifier,
 * and the page, which reads the list again after each choice, answers nobody meanwhile.
 */
const sampleCells = 100_000;

/** Reads the beginning of a list. */
export async function sampleList(place: ListPlace, form: InputOptions = {}): Promise<ListSample> {
  await using input = await openInput(place, form);
  const rows: InputRow[] = [];
  let cells = 0;
  let isWhole = true;
  for await (const row of input.rows) {
    if (rows.length === sampleRows || cells > sampleCells) {
      isWhole = false;
      break;
    }
    rows.push(row);
    cells += row.cells.length;
  }
  const { name, format, sheet, hasHeader, headerLine, delimiter } = input;
  const guessedEncoding = input.guessedEncoding();
  return {
    ...{ name, format, sheet, hasHeader, headerLine, delimiter },
    encoding: guessedEncoding ?? input.encoding,
    guessedEncoding,
    notes: [...input.notes()],
    header: [...input.columns],
    ...{ rows, isWhole },
  };
}
