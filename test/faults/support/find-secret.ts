import { filesWith } from '../../support/find-value.ts';
import type { Ended, World } from './world.ts';

/** The forms in which a key may leak: as it is, in lower case, encoded or escaped. */
function formsOf(key: string): Record<string, string> {
  const bytes = Buffer.from(key);
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    plain: key,
    'in small letters': key.toLowerCase(),
    'in UTF-16': Buffer.from(key, 'utf16le').toString(),
    'in Base64': bytes.toString('base64').slice(0, 20),
    'in escapes of JSON': key.replaceAll(/[^A-Za-z0-9]/g, escaped),
    'in hexadecimal': bytes.toString('hex'),
    'as a URL carries it': encodeURIComponent(key),
    'as PHP writes JSON': key.replaceAll('/', '\\/'),
  };
}

/** Finds the key in the output of the runs and in all files of the world. */
export async function findSecret(
  key: string,
  { folder }: Pick<World, 'folder'>,
  runs: readonly Ended[],
): Promise<string[]> {
  const streams = runs.flatMap(({ stdout, stderr }, index) => [
    [`standard output of run ${index + 1}`, Buffer.from(stdout)] as const,
    [`standard error of run ${index + 1}`, Buffer.from(stderr)] as const,
  ]);
  const found = findIn(key, Object.fromEntries(streams));
  for (const [name, form] of Object.entries(formsOf(key))) {
    const files = await filesWith(folder, form);
    found.push(...files.map((file) => `${file}: ${name}`));
  }
  return found;
}

/** Which places hold the key, and in which form. */
export function findIn(key: string, places: Readonly<Record<string, Buffer>>): string[] {
  return Object.entries(places).flatMap(([place, bytes]) =>
    Object.entries(formsOf(key))
      .filter(([, form]) => bytes.includes(form))
      .map(([form]) => `${place}: ${form}`),
  );
}
