import { type Document, isMap, isSeq } from 'yaml';
import { DossierError } from '../../errors.ts';
import { isObjectPath } from '../schema/output-path.ts';

/**
 * Where a value of a job is in its file. `output` may be a list of places: what is changed of it is changed of the
 * first folder, which is the one that people look into.
 */
export function pathInDocument(
  document: Document,
  path: readonly string[],
): readonly (string | number)[] {
  const [first, ...rest] = path;
  const output = document.get('output');
  if (first !== 'output' || rest.length === 0 || !isSeq(output)) return path;
  const index = output.items.findIndex(
    (item) => isMap(item) && !item.has('postgres') && !isObjectPath(String(item.get('path') ?? '')),
  );
  if (index !== -1) return ['output', index, ...rest];
  throw new DossierError(
    'JOB_INVALID',
    `output lists no folder whose ${rest.join('.')} could be changed: add one, such as {path: output}`,
  );
}
