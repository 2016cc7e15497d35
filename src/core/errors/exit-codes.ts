/** When to start again: `soon` after a pause, `next` as scheduled, `person` after a check. */
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
      'Report it with the text on standard error. Answers are in the ledger; a newer version continues from there.',
  },
  3: {
    means:
      'finished and published; some rows failed and the job has no `expect.failed`, or people searches failed',
    again: 'next',
    advice:
      'A success with a warning. The files are complete and list the failed rows. The next run looks up those rows again and reuses the rest. With `expect.failed` in the job, the exit code is 0 within that limit and 4 above it.',
  },
  4: {
    means:
      'held: an expectation was not met, or a clock is wrong, so nothing is published until a person decides',
    again: 'person',
    advice:
      'No published result was changed. The new files are in `held-<run>` in the output folder, and the report says what was expected. If the result is right, `dossier export <job> --accept` publishes it. If not, do nothing: the next good run replaces it. Answers are kept and not paid for again.',
  },
  5: {
    means: 'the price was not confirmed in the terminal; no call was made',
    again: 'person',
    advice: 'Only a person at a terminal is asked. `--yes` starts without the question.',
  },
  64: {
    means: 'the command line is wrong; no call was made',
    again: 'person',
    advice: 'Fix the command.',
  },
  65: {
    means: 'the list cannot be read or used, or the run does not exist',
    again: 'person',
    advice:
      'Check the list: is it there, complete and in the right format? `dossier check` shows what is wrong.',
  },
  69: {
    means:
      'the service, a destination, Redis, the object store or the server that holds the list is unavailable',
    again: 'soon',
    advice:
      'Run the same command again in a few minutes; nothing is paid for twice. If the service is unavailable, the run writes partial results, marked incomplete. If a destination is unavailable, the run has finished and its result is in the ledger. `dossier check` shows which systems respond.',
  },
  74: {
    means: 'the ledger or the disk has failed',
    again: 'person',
    advice:
      'Free disk space, fix permissions or restore the ledger. `dossier export` writes missing files without a call.',
  },
  75: {
    means:
      'a budget or quota is spent, the service throttled requests for too long, or the job, its ledger or its folder is busy',
    again: 'next',
    advice:
      'Partial results are written, marked incomplete, unless another process blocked the run. The next run continues. If this happens every night, raise the budget, upgrade the plan or run the job less often.',
  },
  77: {
    means:
      'the service, a destination, Redis, the object store or the server that holds the list refused a key or password',
    again: 'person',
    advice:
      'Renew the key or password that the message names, then run the same command again. If the service refused the key, the run writes partial results, marked incomplete.',
  },
  78: {
    means: 'the job is wrong: its file, a URL in it, or a system that cannot be used as configured',
    again: 'person',
    advice: 'Fix what the message names: the job file, a setting or a system.',
  },
  130: {
    means: 'stopped by SIGINT after saving its answers; a second signal exits at once',
    again: 'soon',
    advice:
      'Run the same command again. After a second signal, `dossier status` lists the calls that may have been charged without an answer.',
  },
  143: {
    means: 'stopped by SIGTERM or SIGHUP after saving its answers; a second signal exits at once',
    again: 'soon',
    advice:
      'Run the same command again. Platforms send SIGTERM before they move or stop a container. Set their grace period to `limits.timeout` plus ten seconds, so the run can store the answers it is waiting for.',
  },
} as const satisfies Record<number, ExitCode>;

/** Names of those that code decides by. */
export const exits = {
  finished: 0,
  rowsFailed: 3,
  held: 4,
  declined: 5,
  usage: 64,
  listUnusable: 65,
  jobInvalid: 78,
} as const satisfies Record<string, keyof typeof exitCodes>;

interface ExitCode {
  readonly means: string;
  readonly again: 'soon' | 'next' | 'person';
  readonly advice: string;
}
