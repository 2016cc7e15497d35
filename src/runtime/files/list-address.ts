import { guardAddress } from '../net/guard-address.ts';
import { isListAddress, shownPath } from './local-path.ts';

/** A list that lies on another machine. */
export interface ListAddress {
  /**
   * Without user, password and query. Ledger, files, logs and messages hold this one, and it tells one
   * list from another: a signed address is another one every night.
   */
  readonly shown: string;
  /** The whole address, which may be a secret. A function is in no JSON of a job. */
  reveal(): string;
  /** The most bytes to take from there. */
  readonly maxBytes: number;
  /** How long the other side may say nothing. */
  readonly timeoutMs: number;
}

/** What holds for an address of which no job says otherwise. */
export const defaultReach = { maxBytes: '2GB', timeout: '2m' } as const;
const defaults = { maxBytes: 2e9, timeoutMs: 120_000 };

/** A path of this machine, or a list elsewhere. */
export type ListPlace = string | ListAddress;

/** Takes an address as it is written apart; undefined for a path of this machine. */
export function listAddress(
  written: string,
  limits: Partial<Pick<ListAddress, 'maxBytes' | 'timeoutMs'>> = {},
): ListAddress | undefined {
  if (!isListAddress(written)) return undefined;
  guardAddress(written);
  return { shown: shownPath(written), reveal: () => written, ...defaults, ...limits };
}

/** Whether a list lies in an object store, and not on the web. */
export function isObject({ shown }: ListAddress): boolean {
  return /^s3:/i.test(shown);
}
