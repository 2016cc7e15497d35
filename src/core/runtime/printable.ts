/** Control characters that a terminal would act on. */
const obeyed = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Uses the escapes of JSON, so JSON text keeps its meaning. */
export function printable(text: string): string {
  return text.replace(obeyed, escaped);
}

/** Makes the first letter a capital, unless the message starts with an address, path or name. */
export function asSentence(message: string): string {
  return message.replace(/^[a-z](?=[a-z]*[,:]? )/, (letter) => letter.toUpperCase());
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
