import { useState } from 'preact/hooks';
import type { Download, DownloadQuery, RowsPage, TableColumns } from '../../../workbench/api.ts';
import { apiUrl, request } from '../../parts/api.ts';
import { Check, Problem, Select } from '../../parts/controls.tsx';
import { bytes } from '../../parts/format.ts';
import { useAttempt } from '../../parts/load.ts';
import { type Choice, isNarrowed, linesText, queryOf } from './choice.ts';

interface DownloadFormProps {
  readonly job: string;
  readonly run: string | undefined;
  readonly known: TableColumns;
  /** Names of the columns in the table. */
  readonly shown: readonly string[];
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

const asInFiles = 'Has the column names and codes of the result files, for programs.';
const contents: Readonly<Record<Format, string>> = {
  xlsx: 'Has the headers and words of this table.',
  csv: 'Has the headers and words of this table, for import into another program. To open the file in Excel, choose the Excel format instead.',
  jsonl: asInFiles,
  parquet: asInFiles,
};

export function DownloadForm(props: DownloadFormProps) {
  const { job, run, known, shown, choice, page } = props;
  const [isPart, setPart] = useState(isNarrowed(choice));
  const [format, setFormat] = useState<Format>('xlsx');
  const [preset, setPreset] = useState('shown');
  const [made, setMade] = useState<Download>();
  const { problem, isBusy, attempt } = useAttempt();

  const { isPeople } = choice;
  const lines = (some: number) => linesText(some, isPeople);
  const body = {
    ...queryOf(isPart ? choice : { ...choice, search: '', facets: {} }),
    format,
    columns: known.presets.find(({ name }) => name === preset)?.columns ?? shown,
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
      <Select
        label="Columns"
        value={preset}
        options={[
          ['shown', 'as in the table'],
          ...known.presets.map(({ name, label }) => [name, label] as const),
        ]}
        onSet={setPreset}
      />
      <p class="note">{contents[format]}</p>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? 'Writing the file …' : 'Download'}
      </button>
      <p role="status">{made && `${made.name}: ${lines(made.rows)}, ${bytes(made.bytes)}`}</p>
      <Problem of={problem} />
    </form>
  );
}
