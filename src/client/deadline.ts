export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** The time ran out, and not another signal. */
  isOver(): boolean;
}

/**
 * A signal that follows others and, with a time, aborts by itself. Unlike `AbortSignal.any` it
 * leaves nothing behind on signals that live as long as the run. The time is real even where a
 * test brings its own clock, because the wire knows no other.
 */
export function openDeadline(parents: readonly AbortSignal[], ms?: number): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const follow = (event: Event) => controller.abort((event.target as AbortSignal).reason);
  for (const parent of parents) {
    if (parent.aborted) controller.abort(parent.reason);
    parent.addEventListener('abort', follow, { once: true });
  }
  const expire = () => {
    isOver = !controller.signal.aborted;
    controller.abort(new Error('the time is over'));
  };
  // After a stall of the process, answers have come that nobody has read; they are read first, or
  // they would be paid for again.
  let turn: NodeJS.Immediate | undefined;
  const readFirst = () => {
    turn = setImmediate(expire);
  };
  const timer = ms === undefined ? undefined : setTimeout(readFirst, ms);
  return {
    signal: controller.signal,
    isOver: () => isOver,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      clearImmediate(turn);
      for (const parent of parents) parent.removeEventListener('abort', follow);
    },
  };
}
