import { DossierError } from '../core/errors.ts';
import { fallbackUrlVariable, pageUrlVariable } from '../core/values/variables.ts';
import { sampleData } from '../engine/providers/providers.ts';
import { untilSignal } from '../platform/shutdown.ts';
import { readBuiltPage } from '../ui/report/report-sink.ts';
import { openWorkbench } from '../ui/workbench/open-workbench.ts';
import { command } from './parts/command.ts';
import { openPage } from './parts/open-browser.ts';
import { flag, jobFlags, or, text, wholeNumber } from './parts/options.ts';

export const ui = command({
  options: {
    folder: or('.', text('Folder with lists and jobs; the page writes its files there')),
    port: or(0, wholeNumber('Port on this machine; 0 picks a free one', [0, 65_535])),
    open: flag('Open the page in the browser; --no-open only prints its URL', true),
    ...jobFlags('url'),
  },
  examples: {
    '$0 ui': 'open the lists and jobs of this folder',
    '$0 ui ~/leads --url embedded': 'try it with sample data, free and offline',
  },
  epilogue:
    'Only you can open the page. Ctrl-C ends the page but not its runs, which are separate processes.',
  async facts({ folder, port, open, url }, terminal) {
    const page = readBuiltPage('dist/page/workbench.html');
    if (page === undefined) {
      const message = 'the workbench page is not built; build it with `npm run build:page`';
      throw new DossierError('PACKAGE_MISSING', message);
    }
    enter(folder);
    // Runs started from the page inherit these variables.
    if (url !== undefined) process.env[pageUrlVariable] = url;
    process.env[fallbackUrlVariable] = sampleData;
    const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
    await using workbench = await openWorkbench({ page, port, program });
    terminal.print(`${workbench.url}\n`);
    using opened = open ? openPage(workbench.url) : undefined;
    const todo = opened?.isOpened ? 'Ctrl-C' : 'Open the URL in a browser. Ctrl-C';
    terminal.note(`Workbench for ${process.cwd()}. ${todo} closes it; runs continue.`);
    await untilSignal();
  },
});

function enter(folder: string) {
  try {
    process.chdir(folder);
  } catch (error) {
    throw new DossierError('USAGE', `${folder} is not a folder that can be opened`, {
      cause: error,
    });
  }
}
