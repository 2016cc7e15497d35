import { createRedactor } from './redact.ts';

const secrets = new Set<string>();

/** Remembers a secret, so that a crash cannot tell it, whatever has got hold of it by then. */
export function keepSecret(secret: string): void {
  secrets.add(secret);
}

/** Secrets of one command are none of the next in the same process. */
export function forgetSecrets(): void {
  secrets.clear();
}

/** The last look at what leaves for people when something has gone wrong. */
export function withoutSecrets(text: string): string {
  return createRedactor([...secrets])(text);
}

/** Parts of an address that are shorter could be a word of any message. */
const leastPartLength = 8;
/** A password is a secret whatever it looks like; a shorter one would leave no message readable. */
const leastPasswordLength = 4;

/** Keeps user, password and query of an address out of whatever is printed. Host and path may be told. */
export function guardAddress(text: string): void {
  if (!URL.canParse(text)) return;
  const { search, searchParams, username, password } = new URL(text);
  if (search.length >= leastPartLength) keepSecret(search);
  guardTokens([...searchParams.values(), username]);
  guardPassword(password);
}

/** A token has a digit nearly always; `services` and `webhooks` have none. */
export function guardTokens(parts: readonly string[]): void {
  const tokens = parts.filter((part) => part.length >= leastPartLength && /\d/.test(part));
  for (const token of tokens) keepSecret(token);
}

/** As it stands in the address, and as it is sent. */
export function guardPassword(password: string): void {
  if (password.length < leastPasswordLength) return;
  keepSecret(password);
  keepSecret(decoded(password));
}

/** Part of an address, without its percent signs where they mean something. */
export function decoded(part: string): string {
  return isDecodable(part) ? decodeURIComponent(part) : part;
}

/** A percent sign of a password has to be written as `%25`. */
export function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
