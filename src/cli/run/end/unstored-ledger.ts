import { type DossierError, exitCodeOf } from '../../../errors.ts';
import { failureFacts } from '../../terminal/errors.ts';
import type { RunJson } from '../run-json.ts';

const finishedCodes = [0, 3];

/** How a run ends that has finished, and whose ledger could not be stored: a result that is held stays held. */
export function exitCodeWith(unstored: DossierError | undefined, exitCode: number): number {
  return unstored && finishedCodes.includes(exitCode) ? exitCodeOf(unstored) : exitCode;
}

/** The object of such a run. */
export function withUnstored(object: RunJson, unstored: DossierError | undefined): RunJson {
  if (!unstored) return object;
  const { message, remedy } = failureFacts(unstored);
  if (object.reason !== null) return { ...object, notes: [...object.notes, message] };
  const exitCode = exitCodeWith(unstored, object.exitCode);
  return { ...object, exitCode, reason: unstored.code, message, remedy };
}
