import { PassThrough, type Readable } from 'node:stream';

/** As much of a terminal as what is printed looks at. */
export function terminal(columns: number): NodeJS.WriteStream {
  return Object.assign(new PassThrough(), { columns }) as unknown as NodeJS.WriteStream;
}

/** All that was written so far; Node 26 gives back one write at a time. */
export function printedOn(stream: Readable): string {
  let text = '';
  for (let part = stream.read(); part !== null; part = stream.read()) text += String(part);
  return text;
}
