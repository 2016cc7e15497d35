import type { ErrorFacts } from './error-facts.ts';

/** A run is stopped by its service, its budget or a signal. */
export const serviceErrors = {
  SERVICE_DOWN: {
    exitCode: 69,
    remedy:
      'Run `dossier check <job>`, then the same command again: what was answered is not asked twice.',
    onPage: 'Press “Go on” in some minutes: what was answered is not asked twice.',
  },
  SERVICE_NOT_FOUND: {
    exitCode: 78,
    remedy:
      'Check the address in service.url or --url. If it is right, `dossier lookup` a company that the service knows, then run again.',
    onPage:
      'Check service.url in the job file. Where DOSSIER_URL in the terminal gives the address, fix it there and start `dossier ui` again.',
  },
  KEY_REFUSED: {
    exitCode: 77,
    remedy: 'Check DOSSIER_API_KEY or the key file and the plan behind it, then run again.',
    onPage:
      'Check the key and the plan behind it. Set a new DOSSIER_API_KEY in the terminal and start `dossier ui` again, or replace the key file; then press “Go on”.',
  },
  JOB_REFUSED: {
    exitCode: 78,
    remedy: 'Check service.url, country and identify of the job against what the service said.',
  },
  QUOTA_SPENT: {
    exitCode: 75,
    remedy: 'Top up or wait for the next period, then run the same command again to go on.',
    onPage: 'Top up or wait for the next period, then press “Go on”.',
  },
  THROTTLED_TOO_LONG: {
    exitCode: 75,
    remedy: 'Run the same command again later to go on, or lower --rate.',
    onPage: 'Press “Go on” later, or lower limits.rate in the job file first.',
  },
  BUDGET_SPENT: {
    exitCode: 75,
    remedy:
      'Run the same command again when the budget is free, or raise it: --max-calls, or `budget` of the job. `dossier spend` shows what it went to, `dossier export <job>` writes what there is.',
    onPage:
      '“Go on” asks for what is left, with the budget of a start anew; it is a field on Read. A budget of a day or month is free with the next one, or raised as `budget` in the job file.',
  },
  INTERRUPTED: {
    exitCode: 130,
    remedy: 'Run the same command again to go on; `dossier export <job>` writes what there is.',
    onPage: 'Press “Go on”: what was answered is not asked twice.',
  },
  TERMINATED: {
    exitCode: 143,
    remedy: 'Run the same command again to go on; `dossier export <job>` writes what there is.',
    onPage: 'Press “Go on”: what was answered is not asked twice.',
  },
  ADDRESS_IN_USE: { exitCode: 69, remedy: 'Stop the other program or choose another --port.' },
  NOTIFY_LOST: {
    exitCode: 69,
    remedy: 'Check notify.url, the network and any proxy between. No run depends on it.',
  },
} as const satisfies Record<string, ErrorFacts>;
