/** The first call of `toLocaleString` costs 25 ms, so whole numbers avoid it. */
export function formatNumber(number: number): string {
  if (!Number.isSafeInteger(number)) return number.toLocaleString('en');
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 company`, `5,000 companies` */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`;
}

/** `280 matched, 20 not found`, without what is 0. */
export function listed(amounts: Readonly<Record<string, number>>): string {
  const some = Object.entries(amounts).filter(([, amount]) => amount > 0);
  return some.map(([name, amount]) => `${formatNumber(amount)} ${name}`).join(', ');
}

/** `0.834 → 83%` */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** `domains → Domains` */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Never cuts a character in half. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  // Rounded, 999.6 KB would be 1000 KB.
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || amount >= 99.95 ? 0 : 1;
  return `${amount.toFixed(digits)} ${units[unit]}`;
}

/** `2026-08-22 04:12 UTC` */
export function formatMinute(time: number | string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
