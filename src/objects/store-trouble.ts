import { DossierError, type ErrorCode } from '../errors.ts';
import { createRedactor } from '../runtime/log/redact.ts';
import { showObjectAddress } from './object-address.ts';
import type { ObjectAddress } from './object-store.ts';
import type { S3Connection } from './s3-client.ts';

/** What the SDK throws: the code of the store is its name. */
interface SdkError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
  readonly code?: string;
}

export function statusOf(error: unknown): number | undefined {
  return (error as SdkError | undefined)?.$metadata?.httpStatusCode;
}

/** How often it was asked; more than once, an earlier request may have done its work unheard. */
export function attemptsOf(error: unknown): number {
  return (error as SdkError | undefined)?.$metadata?.attempts ?? 1;
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** How the SDK takes the signal that ends a request. */
interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

/** Makes requests for an address, and says in a sentence what keeps them from being answered. */
export async function attempt<Result>(
  store: Pick<S3Connection, 'storeName' | 'secrets'>,
  at: ObjectAddress,
  ask: (options: SendOptions) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await ask(signal ? { abortSignal: signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw storeTrouble(store, at, error);
  }
}

/** The error for whatever a store, or the way to it, refuses. */
export function storeTrouble(
  { storeName, secrets }: Pick<S3Connection, 'storeName' | 'secrets'>,
  at: ObjectAddress,
  error: unknown,
): unknown {
  if (error instanceof DossierError || !(error instanceof Error)) return error;
  const found = judge(error, storeName);
  // An error of our own is a bug, and is told with its stack.
  if (found === undefined) return error;
  const [code, sentence] = found;
  const clean = createRedactor(secrets);
  // The error of the SDK holds the whole request with its signature, so it is not passed on.
  const cause = new Error(clean(`${nameOf(error)} (${statusOf(error) ?? 'no'} HTTP status)`));
  return new DossierError(code, clean(`${showObjectAddress(at)}: ${sentence}`), { cause });
}

type Judgement = readonly [ErrorCode, string];

/** By the name that a store gives its error. A name of AWS may be used by any store. */
const named: Readonly<Record<string, Judgement>> = {
  InvalidAccessKeyId: ['STORE_REFUSED', 'the store does not know the access key'],
  SignatureDoesNotMatch: ['STORE_REFUSED', 'the secret key does not belong to the access key'],
  InvalidToken: ['STORE_REFUSED', 'the session token is not valid'],
  ExpiredToken: ['STORE_REFUSED', 'the session token has expired'],
  RequestTimeTooSkewed: [
    'STORE_REFUSED',
    'the clock of this machine differs too much from that of the store',
  ],
  NoSuchBucket: ['BUCKET_MISSING', 'there is no such bucket'],
  InvalidBucketName: ['BUCKET_MISSING', 'no bucket can have this name'],
  PermanentRedirect: ['BUCKET_MISSING', 'the bucket is in another region'],
  AuthorizationHeaderMalformed: ['BUCKET_MISSING', 'the bucket is in another region'],
  IllegalLocationConstraintException: ['BUCKET_MISSING', 'the bucket is in another region'],
  SlowDown: ['STORE_DOWN', 'the store asks to slow down, and goes on doing so'],
  PreconditionFailed: ['STORE_DOWN', 'the object was replaced while it was read'],
};

function judge(error: SdkError, storeName: string): Judgement | undefined {
  const known = named[error.name];
  if (known) return known;
  if (/Credentials|TokenProvider/.test(error.name)) {
    return ['STORE_REFUSED', `no credentials can be had${hintOf(error)}`];
  }
  if (error.message === 'Region is missing') {
    return ['BUCKET_MISSING', 'no region is set for S3'];
  }
  const status = statusOf(error);
  if (/Deserialization error/.test(error.message)) {
    return ['BUCKET_MISSING', `what answers at ${storeName} is no object store`];
  }
  // The answer to HEAD has no body that could name the error.
  if (status === 301) return named.PermanentRedirect;
  if (status === 401 || status === 403) {
    return ['STORE_REFUSED', `these credentials may not do this${saidBy(error)}`];
  }
  if (status !== undefined && (status >= 500 || status === 429)) {
    return ['STORE_DOWN', `${storeName} answers HTTP ${status}${saidBy(error)}`];
  }
  if (status !== undefined) {
    return ['STORE_REFUSED', `the store refuses the request with HTTP ${status}${saidBy(error)}`];
  }
  const reason = reasonOf(error);
  return reason === undefined
    ? undefined
    : ['STORE_DOWN', `${storeName} cannot be reached: ${reason}`];
}

/** Only what says where they were looked for: the words of a program that gives them may hold them. */
function hintOf({ message }: Error): string {
  const isPlain = /^(?:Could not (?:load|resolve) credentials|Profile|The SSO session|Token)/;
  return isPlain.test(message) ? `: ${firstLine(message)}` : '';
}

function saidBy({ name, message }: Error): string {
  const said = firstLine(message);
  if (/^Unknown/.test(name)) return '';
  return said === '' || said === name ? `: ${name}` : `: ${name}, ${said}`;
}

const longestSaid = 200;

function firstLine(text: string): string {
  return (text.split(/\p{Cc}/u, 1)[0] ?? '').trim().slice(0, longestSaid);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  ETIMEDOUT: 'no answer in time',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up',
  ENETUNREACH: 'network unreachable',
  EHOSTUNREACH: 'host unreachable',
  EPROTO: 'answer is not TLS; does AWS_ENDPOINT_URL begin with http, not https?',
};

function reasonOf({ name, code, message }: SdkError): string | undefined {
  if (code !== undefined && reasons[code]) return reasons[code];
  if (name === 'TimeoutError') return 'no answer in time';
  if (code?.startsWith('ERR_SSL_')) return reasons.EPROTO;
  if (code?.startsWith('HPE_')) return 'answer is not HTTP';
  if (code !== undefined && /CERT|SIGNED|ISSUER/.test(code)) {
    return `certificate not trusted: ${firstLine(message)}`;
  }
  return message === 'aborted' ? reasons.ECONNRESET : undefined;
}
