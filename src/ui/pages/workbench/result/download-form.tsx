import { useState } from 'preact/hooks';
import type { Download, DownloadFormat, DownloadQuery } from '../../../workbench/api/downloads.ts';
import type { TableColumns } from '../../../workbench/api/rows.ts';
import { bytes, counted } from '../../parts/text/format.ts';
import { type ApiProblem, apiUrl, ask, problemOf } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { type Choice, isNarrowed } from './choice.ts';

interface DownloadFormProps {
  readonly job: string;
  readonly run: string | undefined;
  readonly known: TableColumns;
  /** Names of the columns that the table shows. */
  readonly shown: readonly string[];
  readonly choice: Choice;
  /** Rows that the table shows, and rows of the list. */
  readonly total: number;
  readonly all: number;
}

const formats: readonly { readonly format: DownloadFormat; readonly label: string }[] = [
  { format: 'xlsx', label: 'Excel (.xlsx)' },
  { format: 'csv', label: 'CSV' },
  { format: 'jsonl', label: 'JSON lines' },
  { format: 'parquet', label: 'Parquet' },
];

const delimiters = [
  { delimiter: ',', label: 'comma' },
  { delimiter: ';', label: 'semicolon' },
  { delimiter: '\t', label: 'tab' },
] as const;

/** Makes a file of what the table shows, or of all rows. */
export function DownloadForm(props: DownloadFormProps) {
  const { job, run, known, shown, choice, total, all } = props;
  const [isPart, setPart] = useState(isNarrowed(choice));
  const [format, setFormat] = useState<DownloadFormat>('xlsx');
  const [delimiter, setDelimiter] = useState(usualDelimiter(navigator.language));
  const [isForSpreadsheet, setForSpreadsheet] = useState(true);
  const [preset, setPreset] = useState('shown');
  const [made, setMade] = useState<Download | 'writing'>();
  const [problem, setProblem] = useState<ApiProblem>();

  const { search, facets, sort, isDescending, isPeople } = choice;
  const many = isPeople ? 'people' : 'rows';
  const query: DownloadQuery = {
    ...{ format, delimiter, isForSpreadsheet, ...(isPeople && { table: 'people' }) },
    columns: known.presets.find(({ name }) => name === preset)?.columns ?? shown,
    search: isPart ? search : '',
    facets: isPart ? facets : {},
    ...(sort !== null && { sort }),
    descending: isDescending,
  };
  const make = () => {
    setMade('writing');
    setProblem(undefined);
    ask<Download>('downloads', { method: 'POST', query: { job, run }, body: query }).then(
      (file) => {
        setMade(file);
        location.assign(apiUrl('download', { id: file.id }));
      },
      (error) => {
        setMade(undefined);
        setProblem(problemOf(error));
      },
    );
  };
  return (
    <form
      class="download-form"
      onSubmit={(event) => {
        event.preventDefault();
        make();
      }}
    >
      {isNarrowed(choice) && (
        <fieldset>
          <legend>{isPeople ? 'People' : 'Rows'}</legend>
          <Radio name="rows" isChosen={isPart} onChoose={() => setPart(true)}>
            The {counted(total, isPeople ? 'person' : 'row', many)} that the table shows
          </Radio>
          <Radio name="rows" isChosen={!isPart} onChoose={() => setPart(false)}>
            All {counted(all, isPeople ? 'person' : 'row', many)}
          </Radio>
        </fieldset>
      )}
      <fieldset>
        <legend>File</legend>
        {formats.map((one) => (
          <Radio
            key={one.format}
            name="format"
            isChosen={format === one.format}
            onChoose={() => setFormat(one.format)}
          >
            {one.label}
          </Radio>
        ))}
      </fieldset>
      {format === 'csv' && (
        <fieldset>
          <legend>For your spreadsheet</legend>
          <label>
            Columns separated by{' '}
            <select
              value={delimiter}
              onChange={({ currentTarget }) =>
                setDelimiter(currentTarget.value as typeof delimiter)
              }
            >
              {delimiters.map((one) => (
                <option key={one.label} value={one.delimiter}>
                  {one.label}
                </option>
              ))}
            </select>
          </label>
          <label class="facet-value">
            <input
              type="checkbox"
              checked={isForSpreadsheet}
              onChange={({ currentTarget }) => setForSpreadsheet(currentTarget.checked)}
            />
            <span>Opens as it is: no cell is run as a formula</span>
          </label>
        </fieldset>
      )}
      <fieldset>
        <legend>Columns</legend>
        <label>
          <span class="unseen">Columns</span>
          <select value={preset} onChange={({ currentTarget }) => setPreset(currentTarget.value)}>
            <option value="shown">as in the table</option>
            {known.presets.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {!isPeople && <p class="note">Those of your list come first, under their own names.</p>}
      </fieldset>
      <button type="submit" class="primary" disabled={made === 'writing'}>
        {made === 'writing' ? 'Writing the file …' : 'Download'}
      </button>
      <p role="status">
        {made !== undefined && made !== 'writing' && (
          <>
            {made.name}: {counted(made.rows, isPeople ? 'person' : 'row', many)},{' '}
            {bytes(made.bytes)}
          </>
        )}
      </p>
      {problem && <Problem problem={problem} />}
    </form>
  );
}

interface RadioProps {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: preact.ComponentChildren;
}

function Radio({ name, isChosen, onChoose, children }: RadioProps) {
  return (
    <label class="facet-value">
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
      <span>{children}</span>
    </label>
  );
}

/** What the spreadsheets of a language take between columns: a semicolon where a comma is in numbers. */
function usualDelimiter(language: string): ',' | ';' | '\t' {
  return new Intl.NumberFormat(language).format(1.5).includes(',') ? ';' : ',';
}
