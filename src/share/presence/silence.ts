/** Internal: tests of dying workers make it short, so that they need not wait for so long. */
const lockVariable = 'DOSSIER_SHARE_LOCK_MS';

/** A worker that was not heard of for so long has died, and another takes its jobs. */
export const lockMs = Number(process.env[lockVariable] ?? 20_000);
/** How often workers look for jobs of one that has died. */
export const stalledMs = lockMs / 4;
/** Who has not been heard of for so long counts as gone. */
export const goneMs = (lockMs * 3) / 4;
