/** Shows the parts of a text in backticks as code: ``Run `dossier status` ``. */
export function InlineCode({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={String(index)}>{part}</code> : part))}
    </>
  );
}
