import type { CommandModule } from 'yargs';
import type { identifyCell } from '../identify/identify-cell.ts';
import type { Value } from './identify/identify-values.ts';
import { type JobArguments, withColumns, withInputForm } from './options/job-options.ts';
import { filePath } from './options/option-values.ts';
import { writeLines } from './terminal/write-lines.ts';

interface IdentifyArguments
  extends Pick<JobArguments, 'sheet' | 'encoding' | 'delimiter' | 'header-row' | 'column' | 'as'> {
  file: string | undefined;
  summary: boolean;
  json: boolean;
}

export const identifyCommand: CommandModule<object, IdentifyArguments> = {
  command: 'identify [file]',
  describe: 'Say what each value of a list is, or why it is none; makes no call',
  builder: (args) =>
    withColumns(withInputForm(args))
      .positional('file', {
        type: 'string',
        coerce: filePath,
        describe:
          'CSV, JSON, JSONL, Parquet or Excel file or its address, or text with one value a line; - is standard input',
      })
      .option('summary', {
        type: 'boolean',
        default: false,
        describe: 'Count instead of listing; what a terminal shows for a file',
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print JSON lines on a terminal too; with --summary, one JSON object',
      })
      .example(
        '$0 identify fixtures/leads/leads.csv',
        'what the list holds, and what is wrong with it',
      )
      .example('$0 identify fixtures/leads/leads.csv --column Website', 'one column only')
      .example('echo "ABN 51 824 753 556" | $0 identify', 'one value')
      .example(
        `$0 identify fixtures/leads/leads.csv --json | grep '"reject"'`,
        'the rejected values, each with its reason',
      ),
  handler: async ({ file, column, as, summary, json, ...given }) => {
    // The public suffix list and the like load slowly, so --help does not load them.
    const { identifyCell } = await import('../identify/identify-cell.ts');
    const { readAs, readInputForm } = await import('../job/job-flags.ts');
    const { openValues } = await import('./identify/identify-values.ts');
    const { startTally } = await import('./identify/identify-tally.ts');

    const form = readInputForm(given);
    const readings = readAs(as, column?.length ?? 1);
    const values = await openValues(file ?? '-', { columns: column, as: readings, form, warn });
    const isForPeople = !json && process.stdout.isTTY === true && file !== undefined;
    if (!summary && !isForPeople) {
      await writeLines(process.stdout, toLines(values.values, identifyCell));
      return;
    }
    const tally = startTally();
    for await (const { input, as: reading, column: name } of values.values) {
      tally.add(input, identifyCell(input, reading), name);
    }
    const counts = tally.counts();
    if (json) {
      process.stdout.write(`${JSON.stringify(counts)}\n`);
      return;
    }
    const { renderTally } = await import('./identify/render-tally.ts');
    process.stdout.write(renderTally(values.name, counts, process.stdout));
    if (isForPeople) warn('\nAdd --json to list every value with its result.');
  },
};

/** `{"input","kind","value"}` or `{"input","reject","message"}`, one a line. */
async function* toLines(values: AsyncIterable<Value>, identify: typeof identifyCell) {
  for await (const { input, as, ...cell } of values) {
    yield JSON.stringify({ input, ...identify(input, as), ...cell });
  }
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`);
}
