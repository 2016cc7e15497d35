import { printable } from '../../../runtime/printable.ts';
import type { RunJson } from '../run-json.ts';

let isPrinted = false;

/** Prints the object of `run --json`; a run ends once, so whatever comes after the first is dropped. */
export function printRunJson(object: RunJson): void {
  if (isPrinted) return;
  isPrinted = true;
  process.stdout.write(`${printable(JSON.stringify(object))}\n`);
}
