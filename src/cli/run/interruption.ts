import { DossierError } from '../../errors.ts';
import { untilSignal } from '../../runtime/shutdown.ts';

/** Aborts at the first SIGINT or SIGTERM. A second one ends the process at once; nothing is lost. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  void untilSignal().then((signal) => {
    const code = signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED';
    controller.abort(new DossierError(code, `stopped by ${signal}; what was answered is saved`));
  });
  return controller.signal;
}
