import { DossierError } from '../../errors.ts';

/**
 * Throws for JSON that is one document, an array or an object over many lines, instead of one
 * object a line. Read as JSON lines, each of its lines would be a bad row.
 */
export function refuseOneDocument(name: string, sample: string, isWhole: boolean): void {
  const text = sample.trim();
  if (text === '' && isWhole) {
    throw new DossierError('INPUT_INVALID', `${name} is empty: it needs one JSON object a line`);
  }
  const [firstLine = ''] = text.split('\n', 1);
  const isOnlyLine = firstLine === text;
  if (text.startsWith('[') && (isOnlyLine || !isJson(firstLine))) {
    throw oneObjectALine(`${name} is one JSON array`, "jq -c '.[]'");
  }
  const isSpread = firstLine.trim() === '{' || (isWhole && !isJson(firstLine) && isJson(text));
  if (text.startsWith('{') && isSpread) {
    throw oneObjectALine(`${name} has a JSON object over many lines`, 'jq -c .');
  }
}

function oneObjectALine(what: string, command: string): DossierError {
  return new DossierError(
    'INPUT_INVALID',
    `${what}; Dossier reads one object a line: ${command} FILE > FILE.jsonl`,
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
