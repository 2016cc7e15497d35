import { DossierError } from '../../errors.ts';

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
 * Throws for an object over many lines, instead of one object a line. Read as JSON lines, each of its
 * lines would be a bad row.
 */
export function refuseOneDocument(name: string, sample: string, isWhole: boolean): void {
  const text = sample.trim();
  if (text === '' && isWhole) {
    throw new DossierError('INPUT_INVALID', `${name} is empty: it needs one JSON object a line`);
  }
  const [firstLine = ''] = text.split('\n', 1);
  const isSpread = firstLine.trim() === '{' || (isWhole && !isJson(firstLine) && isJson(text));
  if (text.startsWith('{') && isSpread) {
    throw new DossierError(
      'INPUT_INVALID',
      `${name} has a JSON object over many lines; Dossier reads one object a line, or an array of objects: jq -c . FILE > FILE.jsonl`,
    );
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
