import type { ResolvedJob } from '../../job/resolve-job.ts';
import { startLiveServer } from '../../report/live-server.ts';
import { readPage } from '../../report/render-report.ts';
import type { ReportData } from '../../report/report-data.ts';
import { followJob } from './follow-job.ts';

export interface LiveView extends AsyncDisposable {
  readonly url: string;
  wasSeen(): boolean;
  /** The last word: nothing that is looked up later replaces it. */
  close(data: ReportData): void;
}

const lookEveryMs = 1_000;

/** Serves the report of a job while it runs; undefined where its page was never built. */
export async function openLiveView(
  job: Pick<ResolvedJob, 'name' | 'ledger' | 'reference'>,
  port = 0,
): Promise<LiveView | undefined> {
  const page = readPage();
  if (page === undefined) return undefined;
  const server = await startLiveServer(page, port);
  const follower = followJob(job);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const publish = (data: ReportData | undefined) => {
    if (data && !isClosed) server.publish(data);
  };
  // One look after another: the whole report of a long run takes longer than a second.
  const next = async () => {
    // A ledger that cannot be read now is read a second later, or its trouble is told by the run.
    publish(await follower.look().catch(() => undefined));
    if (isClosed) return;
    timer = setTimeout(next, lookEveryMs);
    timer.unref();
  };
  void next();
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
      // Where nobody had the last word, it is how things stand now.
      if (!isClosed) publish(tryTo(follower.glance));
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
