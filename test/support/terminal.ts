import { PassThrough, type Readable } from 'node:stream';

/** A stream with the properties of a terminal that the renderers read. */
export function terminal(columns: number): NodeJS.WriteStream {
  return Object.assign(new PassThrough(), { columns }) as unknown as NodeJS.WriteStream;
}

/** All text written so far, read in a loop because Node 26 returns one write at a time. */
export function printedOn(stream: Readable): string {
  let text = '';
  for (let part = stream.read(); part !== null; part = stream.read()) text += String(part);
  return text;
}
