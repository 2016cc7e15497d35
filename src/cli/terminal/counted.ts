/** `1 company`, `5,000 companies` */
export function counted(number: number, one: string, many: string): string {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** `5,000`. The first number that `toLocaleString` formats costs 25 ms, so small ones avoid it. */
export function grouped(number: number): string {
  const isPlain = Number.isInteger(number) && Math.abs(number) < 1_000;
  return isPlain ? String(number) : number.toLocaleString('en');
}
