/** Text whose parts in backticks are code: ``Run `dossier status` ``. */
export function Coded({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, place) => (place % 2 === 1 ? <code key={String(place)}>{part}</code> : part))}
    </>
  );
}
