import { useState } from 'preact/hooks';
import { formatBytes } from '../../../../core/values/format.ts';
import type { Download, RowsPage } from '../../../workbench/api/answers.ts';
import { apiUrl, request } from '../../parts/api.ts';
import { Check, Form, Problem } from '../../parts/controls.tsx';
import { useAttempt } from '../../parts/load.ts';
import { isNarrowed, linesText, queryOf } from './choice.ts';
import { chosenColumns, type Table } from './use-table.ts';

const has = 'The file has the row number, the company id and the columns of the table.';
const forReaders = `${has} Headers and values are written as in the table.`;
const asInFiles = `${has} Column names and values are written as in the result files.`;
const formats = {
  xlsx: ['Excel (.xlsx)', forReaders],
  csv: [
    'CSV',
    `${forReaders} Cells that Excel would change or run are marked; the Excel format has them as they are.`,
  ],
  jsonl: ['JSON lines', asInFiles],
  parquet: ['Parquet', asInFiles],
} as const;
type Format = keyof typeof formats;

export function DownloadForm({ job, run, known, choice, page }: Table & { page: RowsPage }) {
  const [isPart, setPart] = useState(isNarrowed(choice));
  const [format, setFormat] = useState<Format>('xlsx');
  const [made, setMade] = useState<Download>();
  const { problem, isBusy, attempt } = useAttempt();

  const lines = (some: number) => linesText(some, choice.isPeople);
  const body = {
    ...queryOf(isPart ? choice : { ...choice, search: '', facets: {} }),
    format,
    columns: chosenColumns(known, choice),
  };
  const make = async () => {
    setMade(undefined);
    const file = await request<Download>('downloads', { query: { job, run }, body });
    setMade(file);
    location.assign(apiUrl('download', { id: file.id }));
  };
  const radio = (name: string, words: string, isChosen: boolean, onChoose: () => void) => (
    <Check key={words} type="radio" name={name} checked={isChosen} onSet={onChoose}>
      {words}
    </Check>
  );
  return (
    <Form class="download-form stack" onSend={() => attempt(make)}>
      {isNarrowed(choice) && (
        <fieldset>
          <legend>{choice.isPeople ? 'People' : 'Rows'}</legend>
          {radio('rows', `The ${lines(page.total)} that the table shows`, isPart, () =>
            setPart(true),
          )}
          {radio('rows', `All ${lines(page.all)}`, !isPart, () => setPart(false))}
        </fieldset>
      )}
      <fieldset>
        <legend>File</legend>
        {Object.entries(formats).map(([one, [words]]) =>
          radio('format', words, format === one, () => setFormat(one as Format)),
        )}
      </fieldset>
      <p class="note">{formats[format][1]}</p>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? 'Writing the file …' : 'Download'}
      </button>
      <p role="status">
        {made && (
          <>
            <bdi>{made.name}</bdi>: {lines(made.rows)}, {formatBytes(made.bytes)}
          </>
        )}
      </p>
      <Problem of={problem} />
    </Form>
  );
}
