import { hash } from 'node:crypto';
import type { Person } from '../contract/company.ts';
import { cleanIdentifier } from '../identify/clean-cell.ts';
import { type Identifier, isReject, type Reading } from '../identify/identifier.ts';
import { identifyCell, kindRules } from '../identify/identify-cell.ts';
import { decoded } from '../values/known-secrets.ts';
import { bareValue, type ParsedIdentifiers } from './match-company.ts';

/** Sorted. A million hashes need 8 MB. */
export interface HashedIdentifiers {
  /** Empty for a suppression file, because its hashes never leave the process. */
  readonly salt: string;
  readonly hashes: BigUint64Array;
}

/** Plain data, because it is sent to other threads. */
export interface Exclusions {
  readonly suppressed: readonly HashedIdentifiers[];
  readonly companiesMs: number;
  readonly peopleMs: number;
}

/** `shop.acme.com.au` also suppresses `acme.com.au`, because lookups try the domain first. */
export function suppressionKeys(cell: string, as: Reading | 'person'): string[] {
  const text = cleanIdentifier(cell);
  if (as === 'person') return text === '' ? [] : [`person ${text}`];
  // Suppressing a person's e-mail address must not suppress their employer.
  if (as === 'auto' && emailAddress.test(text)) return [];
  if (servicePerson.test(text)) return [`person ${text}`];
  const profile = networkProfile.exec(text)?.[1];
  if (profile) return [profileKey(profile)];
  const result = identifyCell(cell, as);
  return isReject(result) ? [] : [result, ...(result.alternates ?? [])].map(keyOf);
}

const servicePerson = /^p_[a-z0-9]{4,}$/;
const networkProfile = /linkedin\.(?:com|cn)\/(?:in|pub)\/([^/?#\s]+)/i;

const emailAddress = /^(?:mailto:)?[^\s/@]+@[^\s/@]+$/i;

function profileKey(page: string) {
  const slug = page.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return `profile ${decoded(slug).normalize('NFC').toLowerCase()}`;
}

export function keyOf(identifier: Identifier): string {
  return `${kindRules[identifier.kind].keyedAs} ${bareValue(identifier)}`;
}

/**
 * An id means something only at the service that gave it: `id@https://api.example.com 7`. Without a
 * service, as in ledgers of version 0.9.0, it counts at all of them.
 */
export function idKey(id: string, service: string | undefined): string {
  return service === undefined ? `id ${id}` : `id@${service.replaceAll(' ', '@')} ${id}`;
}

/** The key of an id at any service. */
export function withoutService(key: string): string {
  return key.replace(/^id@\S+/, 'id');
}

/** Reads `main:7` as the id 7 of the service `main`, and other ids as those of `otherwise`. */
export function withService(
  key: string,
  services: ReadonlyMap<string, string>,
  otherwise?: string,
): string {
  if (!key.startsWith('id ')) return key;
  const [, name = '', id = ''] = /^id ([^:]+):(.+)$/s.exec(key) ?? [];
  return services.has(name) ? idKey(id, services.get(name)) : idKey(key.slice(3), otherwise);
}

/** With a million values, one check in 18 trillion is wrong. */
export function hashKey(key: string, salt: string): bigint {
  return BigInt(`0x${hash('sha256', salt + key, 'hex').slice(0, 16)}`);
}

export function collectHashes(salt = '') {
  let hashes = new BigUint64Array(new SharedArrayBuffer(8 * 1_024));
  let count = 0;
  return {
    addKey(key: string) {
      if (count === hashes.length) {
        const larger = new BigUint64Array(new SharedArrayBuffer(16 * count));
        larger.set(hashes);
        hashes = larger;
      }
      hashes[count++] = hashKey(key, salt);
    },
    sorted: (): HashedIdentifiers => ({ salt, hashes: hashes.subarray(0, count).sort() }),
  };
}

export function companyKeys(company: ParsedIdentifiers, service?: string): string[] {
  const keys = service === undefined ? [] : company('id').map((id) => idKey(id, service));
  for (const { field, aliasField, keyedAs } of keyRules) {
    const values = [...company(field), ...(aliasField ? company(aliasField) : [])];
    for (const value of values) keys.push(`${keyedAs} ${value}`);
  }
  return keys;
}

/** One kind for each first word: a company has the same keys as `fqdn` and as `website`. */
const keyRules = [
  ...Map.groupBy(Object.values(kindRules), ({ keyedAs }) => keyedAs).values(),
].flatMap(([first]) => first ?? []);

export function personKeys(person: unknown): string[] {
  const { person_id: id, network } = Object(person) as Partial<Person>;
  return [
    ...(id == null ? [] : [`person ${id}`]),
    ...(network ? [profileKey(String(network))] : []),
  ];
}

/** Whether a company or person must not be asked for, nor be in a result. */
export interface Suppression {
  readonly isEmpty: boolean;
  hasKey(key: string): boolean;
  /** An id is asked for at `idsAt`. */
  has(identifier: Identifier, idsAt?: string): boolean;
  hasCompany(company: ParsedIdentifiers, service?: string): boolean;
  hasPerson(person: unknown): boolean;
}

export function createSuppression(given: readonly HashedIdentifiers[]): Suppression {
  const sets = given.filter(({ hashes }) => hashes.length > 0);
  const has = (key: string) => sets.some(({ salt, hashes }) => isAmong(hashes, hashKey(key, salt)));
  return { isEmpty: sets.length === 0, ...suppressionBy(has) };
}

export function suppressionBy(has: (key: string) => boolean): Omit<Suppression, 'isEmpty'> {
  return {
    hasKey: has,
    has: (identifier, idsAt) =>
      has(keyOf(identifier)) || (identifier.kind === 'id' && has(idKey(identifier.value, idsAt))),
    hasCompany: (company, service) => companyKeys(company, service).some(has),
    hasPerson: (person) => personKeys(person).some(has),
  };
}

function isAmong(sorted: BigUint64Array, value: bigint) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as bigint) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
}
