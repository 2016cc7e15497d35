/** `2026-08-22 04:12 UTC` */
export function minuteOf(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
