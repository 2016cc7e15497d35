/** Where an address or a path may go on in the next line, so that no word of it is broken apart. */
const afterSign = /(?<=[/._?&=:@])/;

/** Text that may hold addresses, which have no blanks to break a line at. */
export function Breakable({ text }: { readonly text: string }) {
  return text.split(afterSign).flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));
}
