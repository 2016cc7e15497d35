import type { CommandModule } from 'yargs';
import { DossierError } from '../errors.ts';
import { printable } from '../runtime/printable.ts';
import { sampleData } from '../runtime/sample-data.ts';
import { untilSignal } from '../runtime/shutdown.ts';
import { fallbackUrlVariable } from '../runtime/terms.ts';
import { type JobArguments, once } from './options/job-options.ts';
import { filePath, pagePort } from './options/option-values.ts';

interface UiArguments extends Pick<JobArguments, 'url'> {
  folder: string;
  port: number;
  open: boolean;
}

export const uiCommand: CommandModule<object, UiArguments> = {
  command: 'ui [folder]',
  describe: 'Open the workbench: a page where a list becomes data',
  builder: (args) =>
    args
      .positional('folder', {
        type: 'string',
        default: '.',
        coerce: filePath,
        describe: 'Folder with lists and jobs; what the page makes is written there',
      })
      .option('port', pagePort)
      .option('open', {
        type: 'boolean',
        default: true,
        describe: 'Open the page in the browser; --no-open prints its address only',
      })
      .option('url', once('url', 'Address of the service, or embedded for the sample data'))
      .example('$0 ui', 'the lists and jobs of this folder')
      .example('$0 ui ~/leads --url embedded', 'try it over sample data, free and offline')
      .epilogue(
        'Only you can reach the page. Runs are processes of their own: Ctrl-C ends the page, never a run.',
      ),
  handler: async ({ folder, port, open, url }) => {
    const { openWorkbench } = await import('../workbench/open-workbench.ts');
    const { readPage } = await import('../report/render-report.ts');
    const { packagePath } = await import('../runtime/package-path.ts');
    const { openPage } = await import('./ui/open-page.ts');
    const page = readPage(packagePath('dist/page/workbench.html'));
    if (page === undefined) {
      throw new DossierError('PAGE_MISSING', 'the page of the workbench is not built');
    }
    enter(folder);
    // The runs that the page starts inherit these. Sample data answers for jobs that name no service.
    if (url !== undefined) process.env.DOSSIER_URL = url;
    process.env[fallbackUrlVariable] = sampleData;
    const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
    await using workbench = await openWorkbench({ page, port, program });
    process.stdout.write(`${workbench.url}\n`);
    using opened = open ? openPage(workbench.url) : undefined;
    const todo = opened?.isOpened ? 'Ctrl-C' : 'Open the address in a browser; Ctrl-C';
    process.stderr.write(
      `The workbench of ${printable(process.cwd())}. ${todo} ends it, and no run.\n`,
    );
    await untilSignal();
  },
};

function enter(folder: string): void {
  try {
    process.chdir(folder);
  } catch (error) {
    throw new DossierError('USAGE', `${folder} is not a folder that can be opened`, {
      cause: error,
    });
  }
}
