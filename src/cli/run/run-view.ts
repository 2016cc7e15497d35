import { setTimeout as sleep } from 'node:timers/promises';
import { packagePath } from '../../core/runtime/package-path.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { readPage } from '../../ui/report/report-sink.ts';
import { openPage } from '../open-browser.ts';

/** A shorter run only opens its report. */
const openAfterMs = 5_000;
const lastLookMs = 1_500;

/**
 * Shows a run that takes long in the page of `dossier ui`, which can change nothing there and ends with the
 * run. Calls `announce` with its address, once.
 */
export function openRunView(
  /** The job, and how it is called on the command line. */
  shown: { readonly path: string; readonly job: ResolvedJob },
  announce: (url: string) => void,
  afterMs = openAfterMs,
): AsyncDisposable {
  let opening: Promise<AsyncDisposable | undefined> | undefined;
  const timer = setTimeout(() => {
    // A page that cannot be opened must not fail the run.
    opening = openView(shown, announce).catch(() => undefined);
  }, afterMs);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}

async function openView(
  shown: Parameters<typeof openRunView>[0],
  announce: (url: string) => void,
): Promise<AsyncDisposable | undefined> {
  const page = readPage(packagePath('dist/page/workbench.html'));
  if (page === undefined) return undefined;
  const { openWorkbench } = await import('../../ui/workbench/open-workbench.ts');
  const workbench = await openWorkbench({ page, port: 0, program: [], shown });
  const url = `${workbench.url}#/result/${encodeURIComponent(shown.path)}`;
  announce(url);
  const opened = openPage(url);
  return {
    async [Symbol.asyncDispose]() {
      // The page asks every 700 ms: it is left with how the run ended.
      if (workbench.isSeen()) await sleep(lastLookMs);
      opened[Symbol.dispose]();
      await workbench[Symbol.asyncDispose]();
    },
  };
}
