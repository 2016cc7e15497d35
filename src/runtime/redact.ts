export type Redact = (text: string) => string;

const replacement = '[redacted]';

/**
 * Takes secrets out of text of foreign origin: as they are, as a URL carries them and in Base64,
 * which is how services and proxies echo what they were sent.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const forms = secrets
    .flatMap(secretForms)
    // The longest first, or a short form would leave the rest of a long one behind.
    .sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((clean, form) => clean.replaceAll(form, replacement), text);
}

/** Every way in which a secret may stand in a text, each once. */
export function secretForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  const forms = [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    base64,
    // Without padding it is found inside longer text as well.
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
  return [...new Set(forms)].filter((form) => form !== '');
}
