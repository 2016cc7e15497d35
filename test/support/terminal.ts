import { PassThrough } from 'node:stream';

/** As much of a terminal as what is printed looks at. */
export function terminal(columns: number): NodeJS.WriteStream {
  return Object.assign(new PassThrough(), { columns }) as unknown as NodeJS.WriteStream;
}
