/** As `ls` and disks count. */
const unitBytes = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const;

/** `256MB`, `1.5 GB`: as a pattern, because editors check job files with it too. */
export const byteSizePattern = /^\d+(\.\d+)? ?(KB|MB|GB|TB)$/;

/** Bytes of `512KB`, `256MB`, `1.5 GB` or `1TB`. */
export function parseByteSize(text: string): number | undefined {
  const [, unit] = /([A-Z]{2})$/.exec(text) ?? [];
  if (!byteSizePattern.test(text)) return undefined;
  const bytes = Math.round(Number.parseFloat(text) * unitBytes[unit as keyof typeof unitBytes]);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
