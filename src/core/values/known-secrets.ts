import { createRedactor } from './redact.ts';

const secrets = new Set<string>();

export function keepSecret(secret: string): void {
  secrets.add(secret);
}

export function forgetSecrets(): void {
  secrets.clear();
}

export function withoutSecrets(text: string): string {
  return createRedactor([...secrets])(text);
}

/** Shorter parts of an address may be ordinary words. */
const leastPartLength = 8;
/** Redacting shorter passwords would make messages unreadable. */
const leastPasswordLength = 4;

export function guardAddress(text: string): void {
  if (!URL.canParse(text)) return;
  const { search, searchParams, username, password } = new URL(text);
  if (search.length >= leastPartLength) keepSecret(search);
  guardTokens([...searchParams.values(), username]);
  guardPassword(password);
}

/** Nearly all tokens have a digit; words such as `webhooks` do not. */
export function guardTokens(parts: readonly string[]): void {
  const tokens = parts.filter((part) => part.length >= leastPartLength && /\d/.test(part));
  for (const token of tokens) keepSecret(token);
}

export function guardPassword(password: string): void {
  if (password.length < leastPasswordLength) return;
  keepSecret(password);
  keepSecret(decoded(password));
}

export function credentialsOf({ username, password }: URL) {
  if (`${username}${password}` === '') return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

export function decoded(part: string): string {
  return isDecodable(part) ? decodeURIComponent(part) : part;
}

export function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
