/** Loaded before the program with `node --import`: blocks its loop or sets its wall clock. */
import { Socket } from 'node:net';
import type { Stall } from './stalls.ts';

const { FAULT_STALLS = '[]', DOSSIER_URL = '' } = process.env;
const stalls = JSON.parse(FAULT_STALLS) as Stall[];
const servicePort = Number(new URL(DOSSIER_URL).port);
const MachineDate = Date;
let shiftMs = 0;
let sends = 0;

class SetDate extends MachineDate {
  constructor(...args: [] | [number | string | Date]) {
    super(...((args.length === 0 ? [SetDate.now()] : args) as [number]));
  }
  static override now(): number {
    return MachineDate.now() + shiftMs;
  }
}
globalThis.Date = SetDate as DateConstructor;

function stallAt(send: number): void {
  for (const { does, ms } of stalls.filter(({ atSend }) => atSend === send)) {
    if (does === 'set the clock') shiftMs = ms;
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  }
}

stallAt(0);
const write = Socket.prototype.write as (...args: unknown[]) => boolean;
Socket.prototype.write = function wrapped(this: Socket, ...args: unknown[]) {
  if (this.remotePort === servicePort) {
    sends += 1;
    stallAt(sends);
  }
  return write.apply(this, args);
};
