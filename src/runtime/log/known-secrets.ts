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
