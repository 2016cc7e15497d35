import { useState } from 'preact/hooks';
import type { Download, DownloadQuery, RowsPage } from '../../../workbench/api.ts';
import { apiUrl, request } from '../../parts/api.ts';
import { Check, Problem } from '../../parts/controls.tsx';
import { bytes } from '../../parts/format.ts';
import { useAttempt } from '../../parts/load.ts';
import { type Choice, isNarrowed, linesText, queryOf } from './choice.ts';

interface DownloadFormProps {
  readonly job: string;
  readonly run: string | undefined;
  /** Names of the columns that were chosen for the table. */
  readonly columns: readonly string[];
  readonly choice: Choice;
  readonly page: RowsPage;
}

type Format = DownloadQuery['format'];

const formats: readonly (readonly [format: Format, words: string])[] = [
  ['xlsx', 'Excel (.xlsx)'],
  ['csv', 'CSV'],
  ['jsonl', 'JSON lines'],
  ['parquet', 'Parquet'],
];

const forReaders = 'The file has the columns of the table, with its headers and words.';
const asInFiles =
  'The file has the columns of the table, with the names and codes of the result files.';
const contents: Readonly<Record<Format, string>> = {
  xlsx: forReaders,
  csv: `${forReaders} To open the file in Excel, choose the Excel format instead.`,
  jsonl: asInFiles,
  parquet: asInFiles,
};

export function DownloadForm(props: DownloadFormProps) {
  const { job, run, columns, choice, page } = props;
  const [isPart, setPart] = useState(isNarrowed(choice));
  const [format, setFormat] = useState<Format>('xlsx');
  const [made, setMade] = useState<Download>();
  const { problem, isBusy, attempt } = useAttempt();

  const { isPeople } = choice;
  const lines = (some: number) => linesText(some, isPeople);
  const body = {
    ...queryOf(isPart ? choice : { ...choice, search: '', facets: {} }),
    format,
    columns,
  };
  const make = async () => {
    setMade(undefined);
    const file = await request<Download>('downloads', {
      method: 'POST',
      query: { job, run },
      body,
    });
    setMade(file);
    location.assign(apiUrl('download', { id: file.id }));
  };
  const radio = (name: string, words: string, isChosen: boolean, onChoose: () => void) => (
    <Check key={words} type="radio" name={name} checked={isChosen} onSet={onChoose}>
      {words}
    </Check>
  );
  return (
    <form
      class="download-form stack"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(make);
      }}
    >
      {isNarrowed(choice) && (
        <fieldset>
          <legend>{isPeople ? 'People' : 'Rows'}</legend>
          {radio('rows', `The ${lines(page.total)} that the table shows`, isPart, () =>
            setPart(true),
          )}
          {radio('rows', `All ${lines(page.all)}`, !isPart, () => setPart(false))}
        </fieldset>
      )}
      <fieldset>
        <legend>File</legend>
        {formats.map(([one, words]) =>
          radio('format', words, format === one, () => setFormat(one)),
        )}
      </fieldset>
      <p class="note">{contents[format]}</p>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? 'Writing the file …' : 'Download'}
      </button>
      <p role="status">{made && `${made.name}: ${lines(made.rows)}, ${bytes(made.bytes)}`}</p>
      <Problem of={problem} />
    </form>
  );
}
