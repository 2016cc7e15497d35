import { styleText } from 'node:util';
import { printable } from '../../runtime/printable.ts';

/** What Dossier itself sends beside text: the colours of `styleText`, and a progress line to be redrawn. */
const ownSequence = /(\r?\p{Cc}\[2K|\p{Cc}\[\d{1,2}m)/u;
const escapeCharacter = '\u001b[';

/**
 * Makes all text printable that goes to the stream: no file name, header or answer of a service can steer
 * the terminal, whichever message carries it.
 */
export function guardTerminal(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
  const clean = cleanerFor(stream);
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? clean(chunk) : chunk, ...rest);
}

/** Makes text for people printable on a stream; colours stay where the stream has them. */
export function cleanerFor(stream: NodeJS.WriteStream): (text: string) => string {
  const isOwn = stream.isTTY || styleText('red', ' ', { stream }) !== ' ';
  return isOwn ? cleanAround : printable;
}

function cleanAround(text: string): string {
  return text
    .split(ownSequence)
    .map((part, index) =>
      index % 2 === 1 && part.includes(escapeCharacter) ? part : printable(part),
    )
    .join('');
}
