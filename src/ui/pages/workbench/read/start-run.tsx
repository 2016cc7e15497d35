import type { JobState, ListRead, MadeJob, RunPlan } from '../../../workbench/api.ts';
import { request } from '../../parts/api.ts';
import { Problem } from '../../parts/controls.tsx';
import { currentOf, useAttempt, useRequest } from '../../parts/load.ts';
import { InlineCode } from '../../parts/text.tsx';
import { linkTo } from '../route.ts';
import { SpendButton } from '../spend.tsx';

const rowsOfTry = 10;

export function StartRun({
  read,
  plan,
  version,
}: {
  read: ListRead;
  plan: RunPlan | null | undefined;
  /** Increases when the job may have changed. */
  version: number;
}) {
  const { job } = read;
  const { problem, isBusy, attempt } = useAttempt();
  const { value: state } = useRequest<JobState>('state', { job }, version);
  const firstRows = useRequest<RunPlan>('plan', { job, limit: rowsOfTry }, version);
  if (state?.isRunning) {
    return (
      <p id="run" tabIndex={-1} role="note">
        A run of this list is in progress. Changes here apply to the next run.{' '}
        <a class="button primary" href={linkTo({ view: 'result', job })}>
          Watch it
        </a>
      </p>
    );
  }
  if (!read.service.hasKey) return <NoKey />;
  const start = (body: object) =>
    attempt(async () => {
      // With a job file, the terminal can continue the run.
      const make = { method: 'PATCH', query: { job }, body: {} } as const;
      const made = await request<MadeJob>('job', make);
      await request('run', { query: { job: made.job }, body });
      location.hash = linkTo({ view: 'result', job: made.job });
    });
  const isOff = isBusy || read.rowsSeen === 0;
  const isHeld = plan?.held != null;
  const isFirst = !state?.run && !(read.isWhole && read.rowsSeen <= rowsOfTry);
  const isKnown = state !== undefined && !isHeld;
  return (
    <div class="stack" id="run" tabIndex={-1}>
      <div class="row grow">
        <SpendButton
          words="Try ten rows"
          plan={currentOf(firstRows)}
          isOff={isOff}
          isPrimary={isKnown && isFirst}
          onStart={(atMost) => start({ atMost, limit: rowsOfTry })}
        />
        <SpendButton
          words={isHeld ? 'The list is right: run it' : 'Run'}
          isPrimary={isKnown && !isFirst}
          {...{ plan, isOff: isBusy || (read.rowsSeen === 0 && !isHeld) }}
          onStart={(atMost) => start({ atMost, accept: isHeld })}
        />
      </div>
      <Problem of={problem} />
    </div>
  );
}

function NoKey() {
  return (
    <div id="run" tabIndex={-1} role="note">
      <p>
        <b>No API key is set, so nothing can be looked up.</b>
      </p>
      <p>
        <InlineCode text="Stop `dossier ui` with Ctrl-C, set `DOSSIER_API_KEY` in that terminal and start `dossier ui` again. Or set `service.keyFile` in the job to the path of a file that holds the key. This page never asks for a key." />
      </p>
    </div>
  );
}
