import type { CallRequest } from '../../../contract/call.ts';
import { DossierError } from '../../../errors.ts';
import type { OnCall } from '../../../oncall/on-call.ts';
import type { SpentSoFar } from '../../../run/calls/charges.ts';
import type { RunEnd } from '../../../sinks/manifest.ts';
import { listChanges } from '../../changes/count-changes.ts';
import { openRunRecord } from '../run-record.ts';
import type { DoneRun, RunVoice } from '../run-voice.ts';
import { keepLastWords } from './last-words.ts';
import { printRunJson } from './print-run-json.ts';

export type Ending = ReturnType<typeof openEnding>;

/**
 * The end of a run, whatever it is: said on standard error, printed as one object where `--json` is
 * given, sent to whom is on call, and logged as the last event.
 */
export function openEnding(voice: RunVoice, isJson: boolean) {
  let onCall: OnCall | undefined;
  let record = openRunRecord(voice.given);
  const changedIn = ({ changes }: RunEnd) => (changes ? listChanges(changes) : '');
  /**
   * Prints the object, and logs the last event when it is written: only then the exit code is certain. A
   * closed pipe ends the process right after `end`, so that nothing may be awaited before it.
   */
  const finish = async (ended: RunEnd, report?: string) => {
    await onCall?.end(ended, changedIn(ended));
    await new Promise<void>((finished) => {
      const end = () => {
        voice.end(ended, report);
        finished();
      };
      if (isJson) printRunJson(ended, end);
      else end();
    });
  };
  /** Does the same where the process leaves at once, and nothing can be waited for. */
  const leave = (ended: RunEnd) => {
    if (isJson) printRunJson(ended, () => {});
    voice.end(ended);
  };
  keepLastWords((error) => {
    voice.sayFailed(error);
    const ended = record.failed(error);
    onCall?.endAtOnce(ended, changedIn(ended));
    leave(ended);
  });
  return {
    /** A job is known. Gives the observer that collects what its run does. */
    begin(job: string, budget: SpentSoFar) {
      record = openRunRecord(voice.given, job, budget);
      return record;
    },
    /** From here on these are told. */
    tell(given: OnCall | undefined) {
      onCall = given;
    },
    async done(done: DoneRun) {
      voice.sayDone(done);
      await finish(done.ended, done.report);
    },
    async failed(error: unknown) {
      voice.sayFailed(error);
      await finish(record.failed(error));
    },
    /** A second signal leaves at once, so that only the log hears of it. */
    cutOff(calls: readonly CallRequest[], exitCode: number) {
      voice.sayCutOff(calls);
      const code = exitCode === 130 ? 'INTERRUPTED' : 'TERMINATED';
      const message = `left at a second signal; ${calls.length} calls may have been charged without an answer`;
      leave(record.failed(new DossierError(code, message)));
    },
  };
}
