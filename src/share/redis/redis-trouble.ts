import { DossierError, type ErrorCode } from '../../errors.ts';
import { describeFailure } from '../../runtime/net/describe-failure.ts';

/** What a script says of a command that its user may not run, in the words of Redis 6, 7.0 and 7.2. */
const barred =
  /^ERR The user executing the script can't|^ERR ACL failure in script|\bNOPERM this user has no permissions/;
const refused = new RegExp(`^(WRONGPASS|NOAUTH|NOPERM)\\b|^ERR invalid password|${barred.source}`);
/** A script of Redis 6 tells it in the middle of a sentence. */
const full = /\bOOM command not allowed/;
const unwilling =
  /\b(OOM command not allowed|LOADING|READONLY|MISCONF|MASTERDOWN|CLUSTERDOWN|BUSY)\b/;

/** Whether Redis takes nothing at present, and may later: its memory is full, it is loading, or a replica. */
export function isUnwilling(error: unknown): boolean {
  return unwilling.test(messageOf(error));
}

/** Whether its memory is full. */
export function isFull(error: unknown): boolean {
  return full.test(messageOf(error));
}

/** Whether the user or password is wrong, or has too few rights. */
export function isRefused(error: unknown): boolean {
  return refused.test(messageOf(error));
}

/** The sentence for a Redis that refuses the user, or what sharing needs; undefined for other trouble. */
export function asRefusal(address: URL, error: unknown): DossierError | undefined {
  return isRefused(error) ? asReply(address, error) : undefined;
}

/** Where a Redis is, without what may be secret. */
export function placeOf({ hostname, port }: URL): string {
  return `Redis at ${hostname}:${port === '' ? '6379' : port}`;
}

/** What Redis says by the first word of a reply, and what that means for a run. */
const replies: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^WRONGPASS|^ERR invalid password/, 'SHARE_REFUSED', 'refuses the user name or password'],
  [/^NOAUTH/, 'SHARE_REFUSED', 'wants a password'],
  [/^NOPERM/, 'SHARE_REFUSED', 'lets this user do too little'],
  [barred, 'SHARE_REFUSED', 'lets this user do too little'],
  [/^DENIED/, 'SHARE_REFUSED', 'takes connections of its own machine only'],
  [full, 'SHARE_DOWN', 'takes nothing at present: its memory is full'],
  [/^(LOADING|BUSY|MISCONF|MASTERDOWN|CLUSTERDOWN)/, 'SHARE_DOWN', 'takes nothing at present'],
  [/^ERR max number of clients/, 'SHARE_DOWN', 'takes no more connections'],
  [/READONLY/, 'SHARE_UNFIT', 'is a replica, which cannot be written to'],
  [/^MOVED/, 'SHARE_UNFIT', 'is one node of a cluster'],
  [/^ERR DB index is out of range/, 'SHARE_UNFIT', 'has no database of that number'],
];

/** The sentence for a Redis that cannot be used. */
export function asTrouble(address: URL, error: unknown): DossierError {
  return asReply(address, error) ?? asUnreachable(address, error);
}

/** The sentence for a Redis that was reached before: nothing is wrong with its address. */
export function asLoss(
  address: URL,
  error: unknown,
  code: 'SHARE_LOST' | 'SHARE_DOWN' = 'SHARE_LOST',
): DossierError {
  const text = `${placeOf(address)} was reached, and does not answer any more`;
  return asReply(address, error) ?? new DossierError(code, text, { cause: error });
}

/** Undefined where Redis has said nothing. */
function asReply(address: URL, error: unknown): DossierError | undefined {
  if (error instanceof DossierError) return error;
  const where = placeOf(address);
  const message = messageOf(error);
  // The reply of a protected Redis is a page of advice.
  const [said = ''] = message.split(/[.,] | script: /);
  const known = replies.find(([pattern]) => pattern.test(message));
  if (known) {
    const [, code, sentence] = known;
    return new DossierError(code, `${where} ${sentence}: ${said}`, { cause: error });
  }
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return new DossierError('SHARE_UNFIT', `${where} says: ${said}`, { cause: error });
}

function asUnreachable(address: URL, error: unknown): DossierError {
  const message = messageOf(error);
  const reason = /ssl|EPROTO/i.test(message) ? 'it speaks no TLS' : describeFailure(error);
  const other = address.protocol === 'rediss:' ? 'redis://, without TLS' : 'rediss://, for TLS';
  const isMute = /closed|time|ssl|EPROTO|ECONNRESET/i.test(message);
  const hint = isMute ? `; is the address to begin with ${other}?` : '';
  const text = `${placeOf(address)} cannot be reached: ${reason}${hint}`;
  return new DossierError('SHARE_DOWN', text, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
