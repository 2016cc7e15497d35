const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** `812 bytes`, `4.1 KB`, `380 MB`; a KB is 1,000 bytes, as `ls` and disks count. */
export function bytesText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  // 999.6 KB would be shown as 1000 KB.
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || amount >= 99.95 ? 0 : 1;
  return `${amount.toFixed(digits)} ${units[unit]}`;
}
