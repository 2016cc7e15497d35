import { DossierError } from '../../errors.ts';
import { type InputOptions, type OpenInput, openInput } from '../../input/open-input.ts';
import { sheetHint } from '../../input/sheet-choice.ts';
import { type DetectedColumns, detectColumns } from '../../job/from-list/detect-columns.ts';

export interface ListFindings {
  readonly name: string;
  readonly format: OpenInput['format'];
  readonly sheet: OpenInput['sheet'];
  readonly hasHeader: boolean;
  readonly header: readonly string[];
  readonly rowsSeen: number;
  readonly columns: DetectedColumns;
}

/** Enough to see what the columns hold. */
const sampleRows = 1_000;

/** Reads the beginning of a list and finds its columns. */
export async function lookAtList(path: string, form: InputOptions = {}): Promise<ListFindings> {
  await using input = await openInput(path, form);
  const sample: (readonly (string | undefined)[])[] = [];
  for await (const { cells } of input.rows) {
    sample.push(cells);
    if (sample.length === sampleRows) break;
  }
  const { name, format, sheet, hasHeader } = input;
  const header = [...input.columns];
  const detected = detectColumns(header, sample);
  // A cell beyond the header has no column that a job could name.
  const identify = detected.identify.filter(({ column }) => column !== '');
  if (identify.length === 0) {
    const reason = sample.length === 0 ? 'it has no rows' : `its columns are: ${header.join(', ')}`;
    throw new DossierError(
      'NOTHING_TO_IDENTIFY',
      `${name} has no column that looks like domains, ABNs or network URLs; ${reason}${sheetHint(sheet)}`,
    );
  }
  const columns = { ...detected, identify };
  return { name, format, sheet, hasHeader, header, rowsSeen: sample.length, columns };
}
