import type { ListRead } from '../../../workbench/api/lists.ts';
import { countryName } from '../../parts/text/labels.ts';
import { NumberField } from './number-field.tsx';
import type { Choose } from './use-reading.ts';

interface ReadingFormProps {
  readonly read: ListRead;
  readonly choose: Choose;
}

/** How the list is read, to be corrected where the format lets it. */
export function ReadingForm({ read, choose }: ReadingFormProps) {
  const { sheet, format, settings, names } = read;
  return (
    <form
      class="reading-form"
      aria-label="How the list is read"
      onSubmit={(event) => event.preventDefault()}
    >
      {sheet && (
        <label>
          Sheet
          <select
            value={sheet.name}
            onChange={({ currentTarget }) => choose({ sheet: currentTarget.value })}
          >
            {[sheet.name, ...sheet.others].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {(format === 'csv' || format === 'xlsx') && (
        <NumberField
          label="Header in row"
          value={settings.headerRow ?? read.headerLine}
          min={1}
          max={10_000}
          whenEmpty="found"
          onSet={(headerRow) => choose({ headerRow })}
        />
      )}
      {format === 'csv' && <Delimiter read={read} choose={choose} />}
      {(format === 'csv' || format === 'jsonl') && <Encoding read={read} choose={choose} />}
      <label>
        Country of rows without one
        <select
          value={settings.country}
          onChange={({ currentTarget }) => {
            const column = read.columns.find(({ role }) => role.is === 'country')?.name ?? null;
            choose({ country: { column, default: currentTarget.value } });
          }}
        >
          {names.countries.map((country) => (
            <option key={country} value={country}>
              {countryName(country)}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

const delimiters: Readonly<Record<string, string>> = {
  ',': 'comma ,',
  ';': 'semicolon ;',
  '\t': 'tab',
  '|': 'bar |',
};

function Delimiter({ read, choose }: ReadingFormProps) {
  const { delimiter, settings } = read;
  const known = [...new Set([...Object.keys(delimiters), delimiter ?? ','])];
  return (
    <label>
      Columns separated by
      <select
        value={settings.delimiter ?? ''}
        onChange={({ currentTarget }) => choose({ delimiter: currentTarget.value || null })}
      >
        <option value="">{`found: ${nameOf(delimiter ?? '')}`}</option>
        {known.map((sign) => (
          <option key={sign} value={sign}>
            {nameOf(sign)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A guessed encoding, with two lines that show it, and how they would read otherwise. */
export function EncodingChoice({ read: { encodings }, choose }: ReadingFormProps) {
  const [guessed, ...others] = encodings;
  if (!guessed) return null;
  return (
    <div class="notes encodings">
      <p>
        {`This list is not UTF-8. It is read as ${guessed.name}, which is a guess. A row whose address is not plain ASCII waits for your choice.`}
      </p>
      <ul>
        {[guessed, ...others].map(({ name, lines }) => (
          <li key={name}>
            <button type="button" onClick={() => choose({ encoding: name })}>
              {`Read as ${name}`}
            </button>
            <span>{lines.join(' · ')}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function nameOf(delimiter: string): string {
  return delimiters[delimiter] ?? delimiter;
}

function Encoding({ read, choose }: ReadingFormProps) {
  const { encoding, settings, names } = read;
  const known = [
    ...new Set([...names.encodings, ...(settings.encoding ? [settings.encoding] : [])]),
  ];
  return (
    <label>
      Encoding
      <select
        value={settings.encoding ?? ''}
        onChange={({ currentTarget }) => choose({ encoding: currentTarget.value || null })}
      >
        <option value="">{`found: ${encoding}`}</option>
        {known.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
