import { countryName } from '../../../words/labels.ts';
import type { JobPeople } from '../../../workbench/api/answers.ts';
import { Button, Check, Form, NumberField, Select } from '../../parts/controls.tsx';
import type { ListReading } from './use-reading.ts';

export function ReadingForm({ read, choose }: ListReading) {
  const { sheet, format, settings, names, delimiter, encoding } = read;
  const isText = format === 'csv' || format === 'jsonl';
  const found = (text: string, others: Iterable<string>, nameOf = (one: string) => one) =>
    [
      ['', `detected: ${nameOf(text)}`],
      ...[...new Set(others)].map((one) => [one, nameOf(one)] as const),
    ] as const;
  return (
    <Form class="reading-form row" aria-label="How the list is read" onSend={() => {}}>
      {sheet && (
        <Select
          label="Sheet"
          value={sheet.name}
          options={[sheet.name, ...sheet.others].map((name) => [name, name])}
          onSet={(name) => choose({ sheet: name })}
        />
      )}
      {(format === 'csv' || format === 'xlsx') && (
        <NumberField
          label="Header row"
          value={settings.headerRow ?? read.headerLine ?? 0}
          {...{ max: 10_000, placeholder: 'detected' }}
          onSet={(headerRow) => choose({ headerRow })}
        />
      )}
      {format === 'csv' && (
        <Select
          label="Columns separated by"
          value={settings.delimiter ?? ''}
          options={found(
            delimiter ?? '',
            [...Object.keys(delimiters), delimiter ?? ','],
            (sign) => delimiters[sign] ?? (sign || 'one column'),
          )}
          onSet={(sign) => choose({ delimiter: sign || null })}
        />
      )}
      {isText && (
        <Select
          label="Encoding"
          value={settings.encoding ?? ''}
          options={found(encoding ?? '', [
            ...names.encodings,
            ...(settings.encoding ? [settings.encoding] : []),
          ])}
          onSet={(name) => choose({ encoding: name || null })}
        />
      )}
      <Select
        label="Default country"
        value={settings.country}
        options={names.countries.map((code) => [code, countryName(code)])}
        onSet={(code) => {
          const column = read.columns.find(({ role }) => role.is === 'country')?.name ?? null;
          choose({ country: { column, default: code } });
        }}
      />
    </Form>
  );
}

const delimiters: Readonly<Record<string, string>> = {
  ',': 'comma ,',
  ';': 'semicolon ;',
  '\t': 'tab',
  '|': 'bar |',
};

export function EncodingChoice({ read: { guess }, choose }: ListReading) {
  if (!guess) return null;
  const { name, lines } = guess;
  return (
    <div class="notice stack">
      <p>
        {`This list is not UTF-8, and ${name} is a guess. Rows with accents in the identifier are not looked up until you choose an encoding.`}
      </p>
      <p class="row">
        <Button onClick={() => choose({ encoding: name })}>{`Read as ${name}`}</Button>
        {lines.join(' · ')}
      </p>
    </div>
  );
}

/** The people search starts narrow, because it may cost more than all companies. */
const firstChoice = { seniority: ['C-Suite'], department: [], maxPerCompany: 20 };
const groups = [
  ['seniority', 'Seniority'],
  ['department', 'Department'],
] as const;

export function PeopleChoice({ read, choose }: ListReading) {
  const { people } = read.settings;
  const set = (changed: Partial<JobPeople>) => {
    if (!people) return;
    const { positions: _, ...choice } = { ...people, ...changed };
    choose({ people: choice });
  };
  return (
    <div class="stack">
      <Check
        checked={people !== null}
        onSet={(isWanted) => choose({ people: isWanted ? firstChoice : null })}
      >
        Search for people at each company found
      </Check>
      {people && (
        <>
          <p class="note">
            The service gives positions and profile pages, not names or e-mail addresses.
          </p>
          {groups.map(([group, title]) => {
            const chosen = people[group];
            return (
              <fieldset key={group} class="names">
                <legend>{chosen.length === 0 ? `${title}: all` : title}</legend>
                {read.names[group].map((name) => (
                  <Check
                    key={name}
                    checked={chosen.includes(name)}
                    onSet={(isChosen) =>
                      set({
                        [group]: read.names[group].filter((other) =>
                          other === name ? isChosen : chosen.includes(other),
                        ),
                      })
                    }
                  >
                    {name}
                  </Check>
                ))}
              </fieldset>
            );
          })}
          {people.positions.length > 0 && (
            <p class="note">{`Positions from the job file: ${people.positions.join(', ')}`}</p>
          )}
          <NumberField
            label="Maximum people per company"
            value={people.maxPerCompany}
            min={1}
            onSet={(most) => set({ maxPerCompany: most ?? firstChoice.maxPerCompany })}
          />
        </>
      )}
    </div>
  );
}
