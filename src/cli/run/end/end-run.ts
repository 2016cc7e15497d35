import type { CallRequest } from '../../../contract/call.ts';
import { DossierError } from '../../../errors.ts';
import type { EndedRun, OnCall } from '../../../oncall/on-call.ts';
import { listChanges } from '../../changes/count-changes.ts';
import type { EndFacts } from '../run-ending.ts';
import type { RunJson } from '../run-json.ts';
import type { DoneRun, RunVoice } from '../run-voice.ts';
import { failedRunJson } from './failed-run-json.ts';
import { keepLastWords } from './last-words.ts';
import { printRunJson } from './print-run-json.ts';

/**
 * The end of a run, whatever it is: said on standard error, printed as one object where `--json` is
 * given, told to whom is on call, and logged as the last event.
 */
export interface RunEnd {
  /** From here on these are told. */
  tell(onCall: OnCall | undefined): void;
  done(done: DoneRun, object: RunJson): Promise<void>;
  failed(error: unknown): Promise<void>;
  /** A second signal leaves at once, so nobody is told but who reads the log. */
  cutOff(calls: readonly CallRequest[], exitCode: number): void;
}

export function openRunEnd(voice: RunVoice, isJson: boolean): RunEnd {
  let onCall: OnCall | undefined;
  const toldOf = (object: RunJson): EndedRun => ({
    ...object,
    job: object.job ?? '',
    changed: object.changes ? listChanges(object.changes) : '',
  });
  /**
   * Prints the object, and logs the last event when it is written: only then the exit code is certain. A
   * closed pipe ends the process right after `end`, so that nothing may be awaited before it.
   */
  const finish = (object: RunJson, facts: EndFacts) =>
    new Promise<void>((finished) => {
      const end = () => {
        voice.end(object.exitCode, facts);
        finished();
      };
      if (isJson) printRunJson(object, end);
      else end();
    });
  const reasonIn = ({ reason }: RunJson): EndFacts => ({ reason: reason ?? undefined });
  /** Does the same where the process leaves at once, and nothing can be waited for. */
  const leave = (object: RunJson) => {
    if (isJson) printRunJson(object, () => {});
    voice.end(object.exitCode, reasonIn(object));
  };
  keepLastWords((error) => {
    voice.sayFailed(error);
    const object = failedRunJson(error, voice.known());
    onCall?.endAtOnce(toldOf(object));
    leave(object);
  });
  return {
    tell(given) {
      onCall = given;
    },
    async done(done, object) {
      voice.sayDone(done);
      await onCall?.end(toldOf(object));
      await finish(object, { report: done.report, ...reasonIn(object) });
    },
    async failed(error) {
      voice.sayFailed(error);
      const object = failedRunJson(error, voice.known());
      await onCall?.end(toldOf(object));
      await finish(object, reasonIn(object));
    },
    cutOff(calls, exitCode) {
      voice.sayCutOff(calls);
      const code = exitCode === 130 ? 'INTERRUPTED' : 'TERMINATED';
      const message = `left at a second signal; ${calls.length} calls may have been charged without an answer`;
      leave(failedRunJson(new DossierError(code, message), voice.known()));
    },
  };
}
