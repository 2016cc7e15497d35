import { asSentence } from '../../../../core/values/printable.ts';
import type { TableRow } from '../../../workbench/api/answers.ts';
import { Button } from '../../parts/controls.tsx';
import { InlineCode } from '../../parts/text.tsx';
import { textsOf } from './cell-text.ts';
import { Suggestions } from './fix-input.tsx';
import { cellKey, correctionOf, fixableIn } from './use-fixing.ts';
import type { Table } from './use-table.ts';
import { wrongColumn } from './wrong-column.ts';

/** `isAt`: the keyboard is in this row. */
export type RowProps = Table & { row: TableRow; index: number; isAt: boolean };

/** The cell that a row in Fix is wrong by, unless it has been corrected. */
export function wrongCell({ fixing, page, row }: Pick<RowProps, 'fixing' | 'page' | 'row'>) {
  const { columns } = fixing.fixes;
  const textOf = textsOf(page, row);
  const refusalOf = (header: string) => fixing.refused.get(cellKey({ ...row, header }));
  const refused = columns.find(({ header }) => refusalOf(header));
  const column = refused ?? wrongColumn(fixing, row, textOf);
  if (!column || !fixableIn(fixing, row, column.name)) return undefined;
  const { name, header, isName } = column;
  const refusal = refusalOf(header);
  const text = refusal ? refusal.text : row.reasonText;
  const correction = correctionOf(fixing, row.key, header, textOf(name), false);
  const suggestions = isName ? row.suggestions : undefined;
  // Until it is looked up, only choices stay, so that no other row moves under the mouse.
  const isCorrected = correction && !correction.isLookedUp && !refusal;
  if (!text || (isCorrected && !suggestions)) return undefined;
  const better = refusal ? refusal.meant : row.about?.meant;
  return { marked: isCorrected ? undefined : name, header, text, better, suggestions, correction };
}

/** Beside the name of the company, so that it is in sight with each cell of the row. */
export function Reason(props: RowProps & NonNullable<ReturnType<typeof wrongCell>>) {
  const { fixing, row, isAt, focusGrid, header, text, better, suggestions, correction } = props;
  const { number } = row;
  const tabIndex = isAt ? 0 : -1;
  const take = (value: string, isStill: boolean) => {
    fixing.fill([{ number, header, value }]);
    fixing.goTo({ number: nextToFix(props), isStill });
    focusGrid();
  };
  return (
    <span class="reason-text">
      <bdi>
        <InlineCode text={asSentence(text)} />
      </bdi>{' '}
      {better !== undefined && (
        <Button
          class="plain"
          tabIndex={tabIndex}
          onClick={({ detail }) => take(better, detail > 0)}
        >
          Use <bdi>{better}</bdi>
        </Button>
      )}
      {suggestions && (
        <Suggestions
          suggestions={suggestions}
          chosen={correction?.now}
          tabIndex={tabIndex}
          onChoose={take}
        />
      )}
    </span>
  );
}

/** The next row whose correction is one click, or else the next row. */
function nextToFix({ fixing, page, row, index }: RowProps) {
  const { rows = [], waiting } = fixing;
  const offers = ({ key, about, suggestions }: TableRow) =>
    (suggestions || about?.meant) && !waiting.some((one) => one.key === key);
  const next = page?.rows.slice(index + 1).find(offers);
  return next?.number ?? rows[rows.indexOf(row.number) + 1] ?? row.number;
}
