import type { RunProgress } from './run-progress.ts';

/** One observer that passes everything on to all the given ones; undefined ones are left out. */
export function joinObservers(...given: (Partial<RunProgress> | undefined)[]): RunProgress {
  const observers = given.filter((observer) => observer !== undefined);
  return {
    onReceive(...facts) {
      for (const observer of observers) observer.onReceive?.(...facts);
    },
    onIngest(...facts) {
      for (const observer of observers) observer.onIngest?.(...facts);
    },
    onTaken() {
      for (const observer of observers) observer.onTaken?.();
    },
    onStart(...facts) {
      for (const observer of observers) observer.onStart?.(...facts);
    },
    onProgress(...facts) {
      for (const observer of observers) observer.onProgress?.(...facts);
    },
    onExport() {
      for (const observer of observers) observer.onExport?.();
    },
    onJudged(held) {
      for (const observer of observers) observer.onJudged?.(held);
    },
    onWritten(exported) {
      for (const observer of observers) observer.onWritten?.(exported);
    },
    onStop(...facts) {
      for (const observer of observers) observer.onStop?.(...facts);
    },
    onPrune(pruned) {
      for (const observer of observers) observer.onPrune?.(pruned);
    },
    onHeld(waitedMs) {
      for (const observer of observers) observer.onHeld?.(waitedMs);
    },
    onFewerCalls(facts) {
      for (const observer of observers) observer.onFewerCalls?.(facts);
    },
    onEvent(event) {
      for (const observer of observers) observer.onEvent?.(event);
    },
  };
}
