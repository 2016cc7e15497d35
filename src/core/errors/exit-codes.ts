/**
 * `again` says when to start again. `soon`: after a pause; no call is repeated. `next`: as
 * scheduled; earlier would spend another budget. `person`: after somebody has looked at it.
 */
export const exitCodes = {
  0: {
    means: 'finished and published; failed rows, if any, are within `expect.failed`',
    again: 'next',
    advice: 'Nothing to do.',
  },
  1: {
    means: 'a bug',
    again: 'person',
    advice:
      'Report it with the text on standard error. Answers are in the ledger; a newer version goes on with it.',
  },
  3: {
    means:
      'finished and published; some rows failed and the job has no `expect.failed`, or people searches failed',
    again: 'next',
    advice:
      'A success with a warning. The files are whole and name the failed rows. The next run asks for those again and reuses the rest. With `expect.failed` in the job, failed rows within it end with 0 and more than that with 4.',
  },
  4: {
    means: 'held: an expectation was not met, and a person decides',
    again: 'person',
    advice:
      'The last good files stand as they were; the new ones are in `held-<run>` beside them, and the report says what was expected. If the result is right, `dossier export <job> --accept` publishes it. If not, do nothing: the next good run takes its place. What was answered is kept and not paid for again.',
  },
  64: {
    means: 'the command line is wrong: nothing was called',
    again: 'person',
    advice: 'Fix the command.',
  },
  65: {
    means: 'the list cannot be read or used',
    again: 'person',
    advice:
      'Check the list: is it there, complete and in the right format? `dossier check` shows what is wrong.',
  },
  69: {
    means: 'the service, a destination, Redis, the object store or the place of the list is away',
    again: 'soon',
    advice:
      'Start it again in some minutes; nothing is paid for twice. A run whose service is away writes what it knows, marked incomplete. A run whose destination is away has finished, and its result is in the ledger. `dossier check` shows what answers and what does not.',
  },
  74: {
    means: 'the ledger or the disk has failed',
    again: 'person',
    advice:
      'Make room, fix permissions or restore the ledger. `dossier export` writes missing files without a call.',
  },
  75: {
    means:
      'a budget or quota is spent, the service throttled too long, or the job, its ledger or its folder is busy',
    again: 'next',
    advice:
      'What is known is written, marked incomplete, unless another process was in the way. The next run goes on. If this happens every night, raise the budget, the plan or the time between runs.',
  },
  77: {
    means:
      'a key or password was refused: by the service, a destination, Redis, the object store or the place of the list',
    again: 'person',
    advice:
      'What is known is written, marked incomplete. Renew what the message names, then start it again.',
  },
  78: {
    means: 'the job is wrong: its file, an address in it, or a system that cannot be used as it is',
    again: 'person',
    advice: 'Fix the job file; the message says what is wrong, and where.',
  },
  130: {
    means: 'interrupted by SIGINT after saving; a second one leaves at once',
    again: 'soon',
    advice:
      'Start it again. After a second signal `dossier status` names the calls that may have been charged without an answer.',
  },
  143: {
    means: 'interrupted by SIGTERM or SIGHUP after saving; a second one leaves at once',
    again: 'soon',
    advice:
      'Start it again. Platforms send it before they move or stop a container; give the run `limits.timeout` and ten seconds more to store what is on the wire.',
  },
} as const satisfies Record<number, ExitCode>;

interface ExitCode {
  readonly means: string;
  readonly again: 'soon' | 'next' | 'person';
  readonly advice: string;
}
