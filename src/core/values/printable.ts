const terminalControls = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Uses the escapes of JSON, so JSON text keeps its meaning. */
export function printable(text: string): string {
  return text.replace(terminalControls, unicodeEscape);
}

/** An address, path or key such as `expect.failed` stays as written. */
export function asSentence(message: string): string {
  return message.replace(/^[a-z](?=[a-z]*[,:]? )/, (letter) => letter.toUpperCase());
}

export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
