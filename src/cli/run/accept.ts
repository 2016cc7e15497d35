import { listHeld } from '../../run/run-job.ts';
import type { HeldList } from '../../run/run-parts.ts';
import { usage } from '../parts/options.ts';
import { isConfirmed } from '../terminal/ask.ts';
import { heldRemedy } from '../terminal/text.ts';

/** What the user accepts, and in the end what was accepted. */
export function createAcceptance(given: readonly string[] = []) {
  let accepted = given;
  return {
    acceptsClock: given.includes('clock'),
    /** `--accept 3f9a1c20`, for the audit. */
    flags: () => accepted.map((word) => ` --accept ${word}`.trimEnd()).join(''),
    async acceptsList(held: HeldList, signal: AbortSignal): Promise<boolean> {
      const { why, hash } = held;
      const isAcceptable =
        given.some((word) => word === 'any' || (word !== '' && hash.startsWith(word))) ||
        (given.includes('') && (await isAccepted(held, signal)));
      if (!isAcceptable) {
        const named = given.find((word) => /^[\da-f]{6}/.test(word));
        const changed = named === undefined ? '' : `its hash is ${hash}, not ${named}; `;
        throw listHeld({ hash, why: changed + why }, heldRemedy(hash));
      }
      accepted = [...given.filter((word) => word === 'clock'), hash];
      return true;
    },
  };
}

async function isAccepted({ why, hash }: HeldList, signal: AbortSignal) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usage(
      `without a terminal, --accept needs the hash of the list, which is not what was expected: ${why}`,
      heldRemedy(hash),
    );
  }
  const question = `The list is not what was expected: ${why}.\nRun this list (${hash})?`;
  return await isConfirmed(question, signal);
}
