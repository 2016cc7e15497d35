import { Sheet, SheetHead } from '../shell/sheet.tsx';

const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['/'], 'Search the rows'],
  [['↑', '↓', '←', '→'], 'Move over the table'],
  [['Page up', 'Page down'], 'A view up or down'],
  [['Home', 'End'], 'To the first or last column; with Ctrl to the first or last row'],
  [['Enter'], 'Open the row; on a header, sort by it; while mending, type into the cell'],
  [['F2'], 'Mend the cell'],
  [['Esc'], 'Close the row, or leave the cell as it was'],
  [['Shift ←', 'Shift →'], 'On a header: make its column narrower or wider'],
  [['?'], 'These keys'],
];

/** What the keyboard does in the table. */
export function Keys({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title="Keys" onClose={onClose}>
      <SheetHead title="Keys" onClose={onClose} />
      <dl class="keys">
        {keys.map(([names, does]) => (
          <div key={does}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
