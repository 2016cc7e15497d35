import { columnPresets } from '../../src/core/columns/choose-columns.ts';
import { type Column, type ColumnType, schemaVersion } from '../../src/core/columns/columns.ts';
import { type Comparison, comparisonOf } from '../../src/core/columns/compare-records.ts';
import {
  changeColumns,
  companyColumns,
  peopleColumns,
  registerColumns,
  rowColumns,
} from '../../src/core/columns/table-columns.ts';
import { type ContractTable, tableContracts, warehouseTables } from '../../src/results/tables.ts';

/** docs/columns.md, from the table that also writes the files. */
export function columnsReference(): string {
  const sections = [
    introduction,
    typeTable(),
    companiesIntroduction,
    comparedTable(rowColumns),
    'Then the company:',
    comparedTable(companyColumns),
    'Then what a [register](names.md) knows about the ABN of the row, for runs that used one:',
    comparedTable(registerColumns),
    inputRule,
    peopleIntroduction,
    comparedTable(peopleColumns),
    rejects,
    changesIntroduction,
    columnTable(changeColumns),
    changesExample,
  ];
  return `${sections.join('\n\n')}\n`;
}

const introduction = `# Columns of the outputs

<!-- Written by \`npm run docs\` from src/core/columns/table-columns.ts; edit that instead. -->

An export writes \`companies\`, \`people\` (where the job searches people), \`rejects\` and \`changes\`, each
in the formats that the job asks for, then \`report.html\`, a page for people that needs nothing else, and
\`manifest.json\` last. The same records give the same bytes.

- A column that was [chosen](#choosing-columns) is there in every file, filled or not, so that files of several runs fit together.
- A value of another type is kept in its column where that is safe: \`"1234"\` is an integer,
  \`"1,234"\` is not; \`"true"\` and 1 are true; a number is text in a text column; one text is a list
  of one.
- What does not fit, and what the interface does not name, is kept as JSON text in \`company_extra\`
  or \`extra\` under its own path. Nothing that was paid for is dropped.
- \`linkedin\` is read as \`network\`. Where both are filled, \`linkedin\` is in the extra column.
- The name of a field is its path in snake_case. The ratings by aspect and the marketing channels have shorter
  ones: no name is longer than 63 bytes or a reserved word of PostgreSQL, Snowflake or BigQuery, so that
  a warehouse takes them as they are. All are lower case, and differ.
- Half a surrogate pair, which UTF-8 cannot hold, is U+FFFD.

## Types`;

const types: Record<
  ColumnType,
  readonly [csv: string, jsonl: string, parquet: string, xlsx: string]
> = {
  text: ['as it is', 'string', 'STRING', 'text'],
  integer: ['digits', 'number', 'INT64', 'number; text from sixteen digits on'],
  decimal: ['digits with a point', 'number', 'DOUBLE', 'number'],
  boolean: ['`true`, `false`', 'boolean', 'BOOLEAN', 'TRUE, FALSE'],
  timestamp: [
    'ISO 8601',
    'string, ISO 8601',
    'TIMESTAMP (milliseconds, UTC)',
    'date and time, UTC',
  ],
  list: ['joined with `; `', 'list of strings', 'LIST of STRING', 'text, joined with `; `'],
  integers: ['joined with `; `', 'list of numbers', 'LIST of INT64', 'text, joined with `; `'],
  json: ['JSON text', 'string of JSON text', 'JSON', 'JSON text'],
};

const companiesIntroduction = `Null is an empty cell in CSV and xlsx, and null elsewhere. Codes, register numbers and phone numbers are text
everywhere.

With \`excelSafe\`, CSV cells that a spreadsheet would change (eleven digits and more, leading zeros,
phone numbers with a plus, what looks like a date) are written as \`="…"\`, and those that it would
run as a formula begin with an apostrophe.

Parquet files have row groups of 4,000 rows, compressed with zstd, with the least and the
greatest value of each column, by which a warehouse passes over what it does not need. The key
\`dossier.schema_version\` in their footer has the [version of the columns](#what-may-change).

With \`xlsx\`, companies, people and rejects are the sheets of one file, \`workbook.xlsx\`, and \`changes.xlsx\`
has the changes: [spreadsheets](workbench.md#excel-results).

## For a warehouse

\`dossier schema\` prints what a table holds, from the same source as this page:

| command | prints |
| --- | --- |
| \`dossier schema --table companies\` | the JSON Schema of a record, which is a line of JSONL with all columns |
| \`dossier schema --as dbt\` | a \`sources.yml\` for dbt 1.10.5 and newer over the tables of PostgreSQL: descriptions, types, tests of keys and of what is never null |
| \`dossier schema --as postgres\` | the statements by which a [load into PostgreSQL](platform.md#postgresql) creates the tables where they are not there, with comments and keys; they may run again |

\`--table\` takes \`companies\`, \`people\`, \`rejects\`, \`changes\` or \`runs\`; without it dbt and PostgreSQL get all. \`runs\` is
the [manifest](manifest.md) as a table: each field under its path in snake_case (\`run_started_at\`,
\`counts_matched\`), lists as JSON. The columns of your list differ from job to job and follow as text: \`--job nightly.yaml\` reads
them from its list and prints them, too, with the schema of its database and, in JSON, the columns that its files choose.

| table | key in files | key in PostgreSQL |
| --- | --- | --- |
${keyRows()}

A table of PostgreSQL holds the records of several jobs, night after night, so it has columns that no file has:

${warehouseTable()}

The other differences: rejects have the columns of the list under their \`input_…\` names, a column of the list that another job
has is null, lists and JSON are \`jsonb\`, and a NUL in a text, which PostgreSQL cannot hold, is U+FFFD; a
key or id with one also has \`~\` and a hash of itself behind it, so that it stays apart from others.

### What may change

The columns have one version for all tables, ${schemaVersion} now: \`schemaVersion\` in the manifest, \`dossier.schema_version\` in
Parquet, and in all that \`dossier schema\` prints.

- The second number grows when columns are added. Those that were there stay as they are and in their order, but
  others may come between them: load by name, not by place. Columns of the list come last.
- The first number grows when a column is renamed, removed or moved, or gets another type, meaning or key. The
  [changelog](../CHANGELOG.md) says how to follow.
- Descriptions and the values within \`company_extra\` and \`extra\`, which the interface does not name, have no version.

## Choosing columns

\`output.columns\` of the job, or \`--columns\`, chooses the columns of companies and people in every format,
in the order that you give: names, patterns in which a star stands for any text, and presets.
A table of which nothing is named keeps all its columns; rejects and changes always do. With
\`output.order: list-first\` (\`--order\`), the usual order of xlsx, the columns of the list come first in
companies, under their own names; where the list has a \`status\`, ours is \`status_2\`.

${presetTable()}

## Row keys

\`row_key\` tells a row from all others of its list, and stays with it from one run of the job to the next,
wherever the row stands in the list: reordering a list changes nothing but \`row_number\`. It joins the results
to the list. A key is, in this order:

1. The cell of the column that \`input.key\` names, cleaned as identifiers are: white space around it, quotes and
   what a spreadsheet puts there are removed, capitals stay. Of several columns, \`|\` stands between the cells, and
   a \`|\` or \`\\\` within a cell has a \`\\\` before it: \`eu|42\`.
2. Where the job names none, the cell of a column that looks like a key by its name (\`id\`, \`crm_id\`,
   \`Record ID\`, \`Account ID\`, \`uuid\`, \`customer number\` …) and whose first 1,000 cells are all filled and
   differ. It is found in the first run over the whole list and then kept, and so are hashes where there is none.
   A run says when it finds a key, and when the column is gone from the list; then it looks for another.
3. Otherwise, and in a row whose key cells are all blank, a hash: the first 16 hex digits of the SHA-256 of a
   JSON array that holds the country and the identifiers as they are looked up, \`["AU","fqdn:acme.com.au"]\`.
   So \`https://www.acme.com.au/about\` and \`acme.com.au\` are the same row. Where a row has no good identifier or
   country, its cells stand there, cleaned and in lower case. A row whose identifier changes gets another key, so
   a list that has a key column had better name it.

The second row with a key has \`#2\` behind it, the third \`#3\`, in the order of the list, and the run says which
rows they are.

## companies

One record for each input row, in input order. *Compared* says whether a column counts in \`changes\`: *on
request* is one that moves by itself, and counts where [\`changes.include\`](job-file.md) of the job names it.`;

const inputRule = `Then one \`input_…\` column for each column of the input, as text: they come last, so that a new one
moves nothing. The name is the header in snake_case: lower case, words of letters and digits of any script
joined by \`_\`, at most 63 bytes. A header without any is \`input_column_3\` by its place; of equal names the
second is \`…_2\`. A run and \`dossier check\` say which are cut off or numbered. Cells of a row beyond the column names stand together in \`input_extra_cells\`, values within
JSON objects under their paths: \`properties.domain\` is \`input_properties_domain\`. They are compared on request.`;

const peopleIntroduction = `## people

One record for each person of a company, in the order in which they were first found. A person found by
several searches is one record that names them all; the first value that is not null counts. A person
without an id is a record of its own each time it is found.`;

const rejects = `## rejects

The input rows without a company: the input's own columns first, under their own names, so that the
fixed file can be given back with \`dossier fix\` ([how](workbench.md#fix-rejected-rows)) or run as it is; then \`row_number\`, \`row_key\`, \`status\`, \`reason\`, \`message\` and \`changed_at\`. Runs with a register add \`suggestions\`
and \`suggested_abns\`. Where the input
has a column of that name, in whatever capitals, ours is \`status_2\`. In JSONL and Parquet, which cannot hold two
columns of one name, the second of equal headers is \`…_2\`, and one without a name is \`column_3\`. In Parquet
headers that differ only in capitals are equal, and one of more than 63 bytes is cut off. As they are the names of your list, they may be reserved words.`;

function keyRows(): string {
  const named = (key: readonly string[]) => key.map((column) => `\`${column}\``).join(', ');
  const rows = Object.values(warehouseTables).map(({ name, key }) => {
    const inFiles = named(tableContracts[name as ContractTable].key);
    return `| \`${name}\` | ${inFiles || 'none: a record for each change of the run'} | ${named(key)} |`;
  });
  return rows.join('\n');
}

/** The columns that only a warehouse has, and in which tables. */
function warehouseTable(): string {
  const own = Object.values(warehouseTables).flatMap(({ name, columns }) => {
    const inFiles = tableContracts[name as ContractTable].columns.map((column) => column.name);
    return columns
      .filter((column) => !inFiles.includes(column.name))
      .map((column) => ({ table: name, column }));
  });
  const rows = [...Map.groupBy(own, ({ column }) => column.name)].map(([name, places]) => {
    const { type = '', description = '' } = places[0]?.column ?? {};
    const tables = places.map(({ table }) => `\`${table}\``).join(' ');
    return `| \`${name}\` | ${tables} | ${type} | ${description} |`;
  });
  return ['| column | tables | type | holds |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function presetTable(): string {
  const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ');
  const rows = Object.entries(columnPresets).map(
    ([name, { about, companies, people }]) =>
      `| \`${name}\` | ${about} | ${named(companies)} | ${named(people)} |`,
  );
  return ['| preset | is | companies | people |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function typeTable(): string {
  const rows = Object.entries(types).map(([type, cells]) => `| ${[type, ...cells].join(' | ')} |`);
  return [
    '| type | CSV | JSONL | Parquet | xlsx |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

const changesIntroduction = `## changes

What differs from the last complete run of the job over the same list: one record for each row, company or person that
changed. Rows come in the order of the list, removed ones after them, then people by their company. The
first run has no changes, nor has a run that is not complete, nor a try with \`--limit\`; the file is there
all the same. \`dossier changes\` compares any two runs.

- A row is known by its key: a list in another order has no changes.
- \`company_found\`, \`company_lost\`: the row had no company and has one, or the other way round.
  \`company_replaced\`: it has a company of another id. \`service_changed\`: another service found it.
  \`company_changed\`: anything else that is said of the row.
- An answer that did not come says nothing: a row that failed or is stale has no change that night. A stale row
  is compared with what it says when the next answer comes, and one that failed with what it was in the last
  published run before it failed.
- A column of the list that comes or goes (\`changes.include\` names it) is a change of the rows that have a value in it.
- People are compared by company, country and id, where both runs have made the same search. People of a
  company that is new in the list have not joined it. Nobody has joined or left by a search that may not
  have given everybody (\`people_complete\`).
- Within a cell, the order of a list, and of keys and lists in JSON, says nothing.`;

const changesExample = `A company with another size and no phone any more, in JSONL:

\`\`\`json
{"op":"company_changed","row_key":"crm-17","row_number":17,"company_id":"c_000123","company_name":"Harbour Lane","country":"AU","person_id":null,"columns":["company_employee_count","company_phones"],"before":"{\\"company_employee_count\\":50,\\"company_phones\\":[\\"+61 2 5550 1234\\"]}","after":"{\\"company_employee_count\\":120,\\"company_phones\\":null}","before_fetched_at":"2026-10-14T02:00:11.000Z","after_fetched_at":"2026-11-14T02:00:09.000Z","since_run":"r29","run":"r30"}
\`\`\``;

const comparisons: Record<Comparison, string> = {
  always: 'yes',
  on_request: 'on request',
  never: 'no',
};

function comparedTable(columns: readonly Column[]): string {
  const rows = columns.map((column) => {
    const { name, path, type, description } = column;
    const from = path.length === 0 ? '' : `\`${path.join('.')}\``;
    const compared = comparisons[comparisonOf(column)];
    return `| \`${name}\` | ${type} | ${from} | ${compared} | ${description.replaceAll('|', '\\|')} |`;
  });
  const head = ['| column | type | from | compared | holds |', '| --- | --- | --- | --- | --- |'];
  return [...head, ...rows].join('\n');
}

function columnTable(columns: readonly Column[]): string {
  const rows = columns.map(
    ({ name, type, description }) =>
      `| \`${name}\` | ${type} | ${description.replaceAll('|', '\\|')} |`,
  );
  return ['| column | type | holds |', '| --- | --- | --- |', ...rows].join('\n');
}
