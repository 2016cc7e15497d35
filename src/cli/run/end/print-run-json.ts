import { printable } from '../../../runtime/printable.ts';
import type { RunEnd } from '../../../sinks/manifest.ts';

let isPrinted = false;

/** No run has ended yet. */
export function forgetRunJson(): void {
  isPrinted = false;
}

/**
 * Prints the object of `run --json`; a run ends once, so whatever comes after the first is dropped. `then` is
 * called when it is written or nobody reads any more. Where it cannot be written, on a full disk, the
 * program says so and ends.
 */
export function printRunJson(object: RunEnd, then: () => void): void {
  if (isPrinted) {
    then();
    return;
  }
  isPrinted = true;
  process.stdout.write(`${printable(JSON.stringify(object))}\n`, (error) => {
    if (!error || (error as NodeJS.ErrnoException).code === 'EPIPE') then();
  });
}
