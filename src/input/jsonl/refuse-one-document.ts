import { DossierError } from '../../errors.ts';
import { isReject } from '../../identify/identifier.ts';
import { identifyCell } from '../../identify/identify-cell.ts';
import { parseJsonRecord } from './parse-json-record.ts';

/** Whether JSON is one array, whose elements are the rows, and not one object a line. */
export function isOneArray(sample: string): boolean {
  const text = sample.trim();
  const [firstLine = ''] = text.split('\n', 1);
  // An array of values on the first of many lines is one bad row among good ones.
  return (
    /^\[\s*\{/.test(text) || (text.startsWith('[') && (firstLine === text || !isJson(firstLine)))
  );
}

/**
 * Throws for one object that holds the whole list, as many programs export it, and for an object over
 * many lines, instead of one object a line. Read as JSON lines, it would be one row, or each line a bad one.
 */
export function refuseOneDocument(name: string, sample: string, isWhole: boolean): void {
  const text = sample.trim();
  if (text === '' && isWhole) {
    throw new DossierError('INPUT_INVALID', `${name} is empty: it needs one JSON object a line`);
  }
  const [firstLine = ''] = text.split('\n', 1);
  const rowsKey = findRowsKey(text, isWhole);
  if (rowsKey !== undefined) {
    const path = /^[a-z_]\w*$/i.test(rowsKey) ? `.${rowsKey}` : `'.[${JSON.stringify(rowsKey)}]'`;
    throw new DossierError(
      'INPUT_INVALID',
      `${name} is one JSON object with its rows in ${JSON.stringify(rowsKey)}; Dossier reads one object a line, or an array of objects: jq ${path} FILE > ROWS.json`,
    );
  }
  const isSpread = firstLine.trim() === '{' || (isWhole && !isJson(firstLine) && isJson(text));
  if (text.startsWith('{') && isSpread) {
    throw new DossierError(
      'INPUT_INVALID',
      `${name} has a JSON object over many lines; Dossier reads one object a line, or an array of objects: jq -c . FILE > FILE.jsonl`,
    );
  }
}

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const member = String.raw`\s*${quoted}\s*:\s*(?:${quoted}|[\w.+-]+)\s*,`;
/** An object with a list of objects in it, behind plain values alone. */
const listWithin = new RegExp(String.raw`^\{(?:${member})*\s*(?<key>${quoted})\s*:\s*\[\s*\{`);

/**
 * The key of the list in an object that is the only one: `{"total": 2, "results": [{… → results`. An object
 * with an identifier beside the list is a company, and a row.
 */
function findRowsKey(document: string, isWhole: boolean): string | undefined {
  const found = listWithin.exec(document);
  const [firstLine = ''] = document.split('\n', 1);
  const isOnly = isJson(document) || (!isWhole && !isJson(firstLine));
  if (!found?.groups?.key || !isOnly) return undefined;
  const read = parseJsonRecord(document);
  // Of a document that is longer than the sample, only what stands before the list is known.
  const values =
    'cells' in read
      ? read.cells.map(([, value]) => value ?? '')
      : found[0].matchAll(new RegExp(quoted, 'g')).map(([word]) => word.slice(1, -1));
  const isCompany = [...values].some((value) => !isReject(identifyCell(value, 'auto')));
  return isCompany ? undefined : (JSON.parse(found.groups.key) as string);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
