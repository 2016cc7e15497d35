/** Loaded before the program and into its threads with `node --import`: breaks the thread that sends. */
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const { FAULT_AT_SEND, DOSSIER_URL = '' } = process.env;
const servicePort = Number(new URL(DOSSIER_URL).port);
let sendsLeft = Number(FAULT_AT_SEND);

const write = Socket.prototype.write as (...args: unknown[]) => boolean;
Socket.prototype.write = function wrapped(this: Socket, ...args: unknown[]) {
  if (!isMainThread && this.remotePort === servicePort) {
    sendsLeft -= 1;
    if (sendsLeft === 0) {
      setImmediate(() => {
        throw new Error('the thread breaks down');
      });
    }
  }
  return write.apply(this, args);
};
