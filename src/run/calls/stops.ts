import { DossierError } from '../../core/errors.ts';

/** Why no more calls are sent: of the whole run, or of one of several services. */
export interface Stops {
  isRunStopped(): boolean;
  isStopped(serviceIndex: number): boolean;
  /** Notes that the run should stop. */
  noteStop(): void;
  /** An error of a service stops only its calls, if there are others. */
  stop(serviceIndex: number, reason: unknown): void;
  reason(): unknown;
}

export function createStops(serviceCount: number, stopping: AbortSignal): Stops {
  let ofRun: { readonly reason: unknown } | undefined;
  const ofServices: (typeof ofRun)[] = [];
  return {
    isRunStopped: () => ofRun !== undefined,
    isStopped: (serviceIndex) => (ofRun ?? ofServices[serviceIndex]) !== undefined,
    noteStop() {
      if (stopping.aborted) ofRun ??= { reason: stopping.reason };
    },
    stop(serviceIndex, reason) {
      const isOfService = reason instanceof DossierError && !stopping.aborted;
      if (serviceCount > 1 && isOfService) ofServices[serviceIndex] ??= { reason };
      else ofRun ??= { reason };
    },
    reason: () => (ofRun ?? ofServices.find(Boolean))?.reason,
  };
}
