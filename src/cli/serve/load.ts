import type { CommandModule } from 'yargs';
import { DossierError } from '../../errors.ts';
import { printable } from '../../runtime/printable.ts';
import type { LoadProgress } from '../../service/load-files.ts';
import { defaultStorePath, filePaths, singlePath } from '../options/option-values.ts';
import { openProgress } from '../terminal/progress.ts';
import { counted } from '../terminal/text.ts';

interface LoadArguments {
  files: string[] | undefined;
  store: string;
  strict: boolean;
  json: boolean;
}

/** Further bad lines are only counted: twenty show what is wrong with a file. */
const badLinesShown = 20;

export const loadCommand: CommandModule<object, LoadArguments> = {
  command: 'load [files..]',
  describe: "Put companies and people (JSONL) into the service's store",
  builder: (args) =>
    args
      .positional('files', {
        type: 'string',
        array: true,
        coerce: filePaths,
        describe: 'JSONL files, plain, .gz or .zst; - is standard input',
      })
      .option('store', {
        requiresArg: true,
        coerce: singlePath('store'),
        default: defaultStorePath,
        describe: 'SQLite file to fill; made when it is not there',
      })
      .option('strict', { type: 'boolean', default: false, describe: 'Stop at the first bad line' })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print {store, companies, people, badLines, seconds} at the end',
      })
      .example(
        '$0 load fixtures/sample/companies.jsonl fixtures/sample/people.jsonl',
        `fill ${defaultStorePath}`,
      )
      .example('zstdcat dump.zst | $0 load - --store big.db', 'load from a pipe'),
  handler: async ({ files = [], store: path, strict, json }) => {
    const { openStore } = await import('../../service/open-store.ts');
    const { loadFiles } = await import('../../service/load-files.ts');
    if (files.length === 0) throw new DossierError('USAGE', 'load takes at least one file');
    const startedAt = performance.now();
    using store = openStore(path);
    using progress = openProgress();
    const bad: string[] = [];

    const loaded = await loadFiles(store, files, {
      isStrict: strict,
      onBadLine: ({ file, number, problem }) => {
        if (bad.length < badLinesShown) bad.push(`${file}:${number}: ${problem}`);
      },
      onProgress: ({ companies, people, badLines, share }) =>
        progress.show(summary({ companies, people, badLines }), share),
    });
    progress[Symbol.dispose]();

    if (loaded.companies + loaded.people === 0 && loaded.badLines > 0) {
      const [first = ''] = bad;
      throw new DossierError('INPUT_INVALID', `no line could be loaded; the first: ${first}`);
    }
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    for (const line of bad) process.stderr.write(`${printable(line)}\n`);
    if (loaded.badLines > bad.length) {
      process.stderr.write(`… and ${loaded.badLines - bad.length} more bad lines\n`);
    }
    process.stderr.write(`Loaded into ${printable(path)} in ${seconds} s: ${summary(loaded)}.\n`);
    if (json) {
      const { companies, people, badLines } = loaded;
      process.stdout.write(
        `${JSON.stringify({ store: path, companies, people, badLines, seconds })}\n`,
      );
    }
  },
};

function summary({ companies, people, badLines }: Omit<LoadProgress, 'share'>): string {
  const loaded = `${counted(companies, 'company', 'companies')} and ${counted(people, 'person', 'people')}`;
  return badLines === 0
    ? loaded
    : `${loaded}, passed over ${counted(badLines, 'bad line', 'bad lines')}`;
}
