/** Loaded before the program and into its threads with `node --import`: breaks the second thread. */
import { isMainThread, MessagePort } from 'node:worker_threads';

let repliesLeft = Number(process.env.FAULT_AT_REPLY);

const post = MessagePort.prototype.postMessage as (...args: unknown[]) => void;
MessagePort.prototype.postMessage = function wrapped(this: MessagePort, ...args: unknown[]) {
  if (!isMainThread) repliesLeft -= 1;
  // What was asked for is done and on the disk, but nobody hears of it.
  if (repliesLeft === 0) {
    setImmediate(() => {
      throw new Error('the thread breaks down');
    });
    return;
  }
  post.apply(this, args);
};
