import { type Followed, followJob } from '../../overview/follow/follow-job.ts';
import type { ReportData } from '../../report/data/report-data.ts';
import { startLiveServer } from '../../report/live-server.ts';
import { readPage } from '../../report/render-report.ts';

export interface LiveView extends AsyncDisposable {
  readonly url: string;
  wasSeen(): boolean;
  /** Publishes the final report and stops reading the ledger, so that nothing replaces it. */
  close(data: ReportData): void;
}

const updateEveryMs = 1_000;

/** Serves the report of a job while it runs; undefined when the page is not built. */
export async function openLiveView(job: Followed, port = 0): Promise<LiveView | undefined> {
  const page = readPage();
  if (page === undefined) return undefined;
  const server = await startLiveServer(page, port);
  const follower = followJob(job);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const publish = (data: ReportData | undefined) => {
    if (data && !isClosed) server.publish(data);
  };
  // No interval timer: the whole report of a long run takes longer than a second to read.
  const update = async () => {
    // A ledger that cannot be read is tried again a second later; the run itself reports the error.
    publish(await follower.next().catch(() => undefined));
    if (isClosed) return;
    timer = setTimeout(update, updateEveryMs);
    timer.unref();
  };
  void update();
  return {
    url: server.url,
    wasSeen: server.wasSeen,
    close(data) {
      publish(data);
      isClosed = true;
      clearTimeout(timer);
      follower[Symbol.dispose]();
    },
    async [Symbol.asyncDispose]() {
      // A view without a final report ends with the present progress.
      if (!isClosed) publish(tryTo(follower.progress));
      isClosed = true;
      clearTimeout(timer);
      follower[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function tryTo<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
