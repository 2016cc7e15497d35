/** What an error of Redis means for whoever sent the command. */
export type RedisTrouble =
  /** The user or password is wrong, or has too few rights. */
  | 'refused'
  /** It takes nothing at present: its memory is full, it is loading, or it is a replica. */
  | 'unwilling'
  /** Anything else. */
  | 'other';

const refused = /^(WRONGPASS|NOAUTH|NOPERM)\b|^ERR (invalid password|AUTH)/;
const unwilling =
  /\b(OOM command not allowed|LOADING|READONLY|MISCONF|MASTERDOWN|CLUSTERDOWN|BUSY)\b/;

export function readTrouble(error: unknown): RedisTrouble {
  const message = error instanceof Error ? error.message : String(error);
  if (refused.test(message)) return 'refused';
  return unwilling.test(message) ? 'unwilling' : 'other';
}
