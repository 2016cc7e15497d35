import { createRedactor } from './redact.ts';

const secrets = new Set<string>();

/** Remembers a secret, so that a crash cannot tell it, whatever has got hold of it by then. */
export function keepSecret(secret: string): void {
  secrets.add(secret);
}

/** The last look at what leaves for people when something has gone wrong. */
export function withoutSecrets(text: string): string {
  return createRedactor([...secrets])(text);
}
