/**
 * What a terminal obeys instead of showing it: control characters but for tab and line feed, marks that
 * turn the direction of text around, and Unicode's own line ends.
 */
const obeyed = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Text of foreign origin as a terminal may have it: `\u001b` stands for an escape character. JSON text
 * stays the same JSON.
 */
export function printable(text: string): string {
  return text.replace(obeyed, escaped);
}

/** A message as a sentence. An address, path or name at its beginning stays as it is. */
export function asSentence(message: string): string {
  return message.replace(/^[a-z](?=[a-z]*[,:]? )/, (letter) => letter.toUpperCase());
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
