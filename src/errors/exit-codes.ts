/**
 * What each exit code means to a script or scheduler, and when it starts Dossier again:
 * `soon` after a pause, since the run goes on where it was and asks nothing twice; with the `next`
 * regular start, since one at once would spend another budget; or when a `person` has looked at it.
 */
export const exitCodes = {
  0: {
    means: 'finished: every row is settled as matched, not_found or invalid',
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
    means: 'finished, but some rows or people searches failed after all attempts',
    again: 'next',
    advice:
      'The files are whole and name the failed rows. The next run asks for those again and reuses the rest.',
  },
  4: {
    means: 'finished, but an expectation of the job was not met: the files are held aside',
    again: 'person',
    advice:
      'The last good files stand as they were; the new ones are in `held-<run>` beside them, and the report says what was expected. If the result is right, `dossier export <job> --accept` publishes it. If not, do nothing: the next run asks again for what was not found.',
  },
  64: {
    means: 'wrong command line: nothing was called',
    again: 'person',
    advice: 'Fix the command.',
  },
  65: {
    means: 'the input cannot be read or used',
    again: 'person',
    advice:
      'Look at the list: is it there, whole, and what its name says? `dossier check` names the trouble.',
  },
  69: {
    means:
      'the service is down: too many failures in a row; or the Redis that runs share is, object storage, or the place of the list; rows stay open',
    again: 'soon',
    advice:
      'What is known is written, marked incomplete. Start it again in some minutes. If it stays down, `dossier check` shows what the service, Redis and the place of the list answer.',
  },
  74: {
    means:
      'trouble with the disk, the ledger or the store; or a run has finished, and a place of its result elsewhere could not be written',
    again: 'person',
    advice:
      'Make room, fix permissions or restore the ledger. What could not be written, here or in a store or database, comes with `dossier export`, without a call.',
  },
  75: {
    means:
      'stopped early on purpose (budget, quota, throttled or without Redis too long, another process holds the job, its ledger or its folder): run again to resume',
    again: 'next',
    advice:
      'What is known is written, marked incomplete, unless another process was in the way. The next run goes on. If this happens every night, raise the budget, the plan or the time between runs.',
  },
  77: {
    means:
      'the key was refused, Redis or object storage refused its user, or the list needs another password: stopped at once, rows stay open',
    again: 'person',
    advice:
      'What is known is written, marked incomplete. Renew the key, the password of Redis, the credentials of the store or the address of the list, then start it again.',
  },
  78: {
    means:
      'the job file is invalid, its address is wrong, the service refuses all it asks, or Redis or object storage cannot be used as it is',
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
