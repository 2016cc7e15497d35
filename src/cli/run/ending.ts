import type { Call } from '../../core/contract/call.ts';
import { DossierError, exitCodeOf } from '../../core/errors.ts';
import { printable } from '../../core/values/printable.ts';
import type { OnCall } from '../../integrations/oncall/on-call.ts';
import type { SpentSoFar } from '../../run/calls/start-budget.ts';
import type { RunEnd } from '../../run/run-schemas.ts';
import { writeOut } from '../terminal/terminal.ts';
import { createEndRecord } from './end-record.ts';
import type { RunMessages } from './run-messages.ts';

export type Ending = ReturnType<typeof createEnding>;

export function createEnding(messages: RunMessages, isJson: boolean) {
  let onCall: OnCall | undefined;
  let record = createEndRecord(messages.given);
  let isPrinted = false;
  const print = (ended: RunEnd, then: () => void) => {
    if (!isJson || isPrinted) return then();
    isPrinted = true;
    writeOut(`${printable(JSON.stringify(ended))}\n`, (error) => {
      if (!error || (error as NodeJS.ErrnoException).code === 'EPIPE') then();
    });
  };
  /** Logs in the same turn as it prints, because a closed pipe ends the process right after. */
  const finish = async (ended: RunEnd, report?: string) => {
    await onCall?.end(ended);
    await new Promise<void>((finished) =>
      print(ended, () => {
        messages.end(ended, report);
        finished();
      }),
    );
  };
  /** The process exits at once, so nothing is awaited. */
  const leave = (ended: RunEnd) => {
    print(ended, () => {});
    messages.end(ended);
  };
  // Runs before the program's own listener, so a crash also logs `run.ended`.
  process.prependListener('uncaughtException', (error) => {
    messages.sayFailed(error);
    const ended = record.failed(error);
    leave(ended);
    process.exit(ended.exitCode);
  });
  return {
    begin(job: string, budget: SpentSoFar, onCallOfJob: OnCall | undefined) {
      onCall = onCallOfJob;
      record = createEndRecord(messages.given, job, budget);
      return record;
    },
    async done(...done: Parameters<RunMessages['sayDone']>) {
      messages.sayDone(...done);
      await finish(done[0], done[2].path());
    },
    async failed(error: unknown) {
      process.exitCode = exitCodeOf(error);
      const ended = record.failed(error);
      // First, so that the error and its code end the output.
      messages.saySpent(ended);
      messages.sayFailed(error);
      await finish(ended);
    },
    /** After a second signal there is no time to notify. */
    cutOff(calls: readonly Call[], exitCode: number) {
      messages.sayCutOff(calls);
      const code = exitCode === 130 ? 'INTERRUPTED' : 'TERMINATED';
      const message = `second signal; calls that may have been charged without an answer: ${calls.length}`;
      const ended = record.failed(new DossierError(code, message));
      messages.saySpent(ended);
      leave(ended);
    },
  };
}
