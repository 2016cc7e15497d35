/** What a name may not have on one system or another, and what would change how it is shown. */
const unsafe = /[\p{C}<>:"|?*]/gu;
const longestName = 120;

/**
 * The name under which a file that was dropped is stored: `C:\leads\..\Leads März.csv → Leads März.csv`. It
 * is never a path, never a hidden file, and never empty.
 */
export function safeName(given: string): string {
  const [last = ''] = given.normalize('NFC').split(/[/\\]/).slice(-1);
  const name = last
    .replace(unsafe, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.~-]+|[\s.]+$/g, '');
  if (name === '') return 'list';
  if (isDeviceName(name)) return `list-${name}`;
  if (name.length <= longestName) return name;
  const { stem, extension } = splitName(name);
  return `${stem.slice(0, longestName - extension.length).trimEnd()}${extension}`;
}

/** Windows takes these for devices, in every folder and with every extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Whether a file of this name could not be opened elsewhere; a path before it does not matter. */
export function isDeviceName(path: string): boolean {
  return device.test(path.split('/').at(-1) ?? '');
}

const listExtension = /\.[a-z]{1,8}(?:\.(?:gz|zst))?$/i;

/** `leads.csv.gz → leads` and `.csv.gz` */
export function splitName(name: string): { stem: string; extension: string } {
  const [extension = ''] = listExtension.exec(name) ?? [];
  return { stem: name.slice(0, name.length - extension.length), extension };
}
