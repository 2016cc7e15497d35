import type { RawAnswer } from '../../../../workbench/api/whole-row.ts';

/** Bodies of the answers, folded until they are wanted. */
export function RawAnswers({ raw }: { readonly raw: readonly RawAnswer[] }) {
  return (
    <>
      {raw.map(({ of, json, isCut }) => (
        <details key={of} class="raw">
          <summary>
            <span>{of}</span>
          </summary>
          {json === null ? (
            <p class="stands-out">The stored answer is damaged.</p>
          ) : (
            <pre>{indented(json)}</pre>
          )}
          {isCut && <p class="note">Cut off after a megabyte.</p>}
        </details>
      ))}
    </>
  );
}

/** A body that was cut off, or is no JSON, is shown as it came. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
