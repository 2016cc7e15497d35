/** `embedded`, or an address that can be printed: whoever writes a password into it is told. */
export function isServiceUrl(written: string): boolean {
  if (written === 'embedded') return true;
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

/** `{date}` and `{run}` are known; another word in braces would become a folder of that name. */
export function isOutputPath(path: string): boolean {
  return !/[{}]/.test(path.replace(/\{(date|run)\}/g, ''));
}
