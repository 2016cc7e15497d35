import type { ResolvedJob } from '../../job/resolve-job.ts';
import type { ReportData } from '../../report/report-data.ts';
import { openLiveView } from '../watch/live-view.ts';
import { openBrowser } from '../watch/open-browser.ts';

/** What `run --open` shows: the live page while the run goes on, the report at its end. */
export interface RunView extends AsyncDisposable {
  onReport(data: ReportData): void;
  /** Opens the report that was written, where the run was over before anybody could look on. */
  showReport(path: string | undefined): void;
}

/** A run that is over before has its report opened instead, which stays when we are gone. */
const openAfterMs = 1_500;
/** How long a browser that was started gets to ask for the page. */
const patienceMs = 5_000;

export async function openRunView(job: ResolvedJob): Promise<RunView> {
  const view = await openLiveView(job);
  let wasOpened = false;
  const timer = setTimeout(() => {
    if (view) wasOpened = openBrowser(view.url);
  }, openAfterMs);
  timer.unref();
  if (view) process.stderr.write(`Live: ${view.url}\n`);
  return {
    onReport: (data) => view?.close(data),
    showReport(path) {
      clearTimeout(timer);
      if (path !== undefined && !wasOpened && !view?.wasSeen()) openBrowser(path);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      const waitsUntil = performance.now() + patienceMs;
      while (wasOpened && !view?.wasSeen() && performance.now() < waitsUntil) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await view?.[Symbol.asyncDispose]();
    },
  };
}
