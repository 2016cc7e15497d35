import { sampleData } from '../../runtime/sample-data.ts';

/** `embedded`, or a URL without a secret: the URL is printed in messages and reports. */
export function isServiceUrl(written: string): boolean {
  if (written === sampleData) return true;
  if (!URL.canParse(written)) return false;
  const { protocol, username, password, search, hash } = new URL(written);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

export function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}
