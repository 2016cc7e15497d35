import { outsideFailure } from '../runtime/outside-failures.ts';
import type { ObjectAddress } from './object-address.ts';
import { showObjectAddress } from './object-address.ts';
import type { S3Connection } from './s3-client.ts';

/** What the SDK throws: the code of the store is its name. */
interface SdkError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
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

/** Makes requests for an address, and says in a sentence what keeps them from being answered. */
export async function attempt<Result>(
  store: Pick<S3Connection, 'storeName'>,
  at: ObjectAddress,
  ask: (options: { readonly abortSignal?: AbortSignal }) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await ask(signal ? { abortSignal: signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw storeTrouble(store, at, error);
  }
}

/** The error for whatever a store, or the way to it, refuses. An error of our own is a bug, and stays itself. */
export function storeTrouble(
  { storeName }: Pick<S3Connection, 'storeName'>,
  at: ObjectAddress,
  error: unknown,
): unknown {
  if (!(error instanceof Error)) return error;
  const facts = { store: storeName, hint: hintOf(error), named: namedBy(error) };
  return outsideFailure('s3', `${showObjectAddress(at)}:`, error, facts) ?? error;
}

/** Only what says where they were looked for: the words of a program that gives them may hold them. */
function hintOf({ message }: Error): string {
  const isPlain = /^(?:Could not (?:load|resolve) credentials|Profile|The SSO session|Token)/;
  return isPlain.test(message) ? `: ${firstLine(message)}` : '';
}

function namedBy({ name, message }: Error): string {
  const said = firstLine(message);
  if (/^Unknown/.test(name)) return '';
  return said === '' || said === name ? `: ${name}` : `: ${name}, ${said}`;
}

function firstLine(text: string): string {
  return (text.split(/\p{Cc}/u, 1)[0] ?? '').trim().slice(0, 200);
}
