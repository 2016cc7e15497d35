/** `1 company`, `5,000 companies` */
export function counted(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
