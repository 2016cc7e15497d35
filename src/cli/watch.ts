import type { CommandModule } from 'yargs';
import { DossierError } from '../errors.ts';
import { printable } from '../runtime/printable.ts';
import { untilSignal } from '../runtime/shutdown.ts';
import { type JobArguments, once } from './options/job-options.ts';
import { filePath, pagePort } from './options/option-values.ts';

interface WatchArguments extends Pick<JobArguments, 'ledger'> {
  job: string | undefined;
  port: number;
  open: boolean;
}

export const watchCommand: CommandModule<object, WatchArguments> = {
  command: 'watch [job]',
  describe: 'Show a run in the browser while it goes on, and its report at the end',
  builder: (args) =>
    args
      .positional('job', {
        type: 'string',
        coerce: filePath,
        describe: 'Job file (.yaml), list that was run, or name of a job; the newest when absent',
      })
      .option('port', pagePort)
      .option('open', {
        type: 'boolean',
        default: false,
        describe: 'Open the page in the browser',
      })
      .option('ledger', once('ledger', 'SQLite file that remembers answers'))
      .example('$0 watch jobs/demo.yaml --open', 'follow the runs of a job')
      .example('$0 watch --port 8123', 'whatever runs now, at a port that can be forwarded')
      .epilogue('Only this machine can reach the page. Ctrl-C ends the view, never the run.'),
  handler: async ({ job: given, port, open, ledger }) => {
    const { findWatched } = await import('./watch/find-watched.ts');
    const { openLiveView } = await import('./watch/live-view.ts');
    const { openBrowser } = await import('./watch/open-browser.ts');
    const job = findWatched(given, ledger);
    await using view = await openLiveView(job, port);
    if (!view) {
      throw new DossierError('PAGE_MISSING', 'the page of the report is not built');
    }
    process.stdout.write(`${view.url}\n`);
    const isOpened = open && openBrowser(view.url);
    process.stderr.write(
      `Watching ${printable(job.name)}. ${isOpened ? 'Ctrl-C' : 'Open the address in a browser; Ctrl-C'} ends the view.\n`,
    );
    await untilSignal();
  },
};
