import { json } from 'node:stream/consumers';
import { type Delivery, deliver } from './on-call.ts';

/*
 * A program of its own: delivers what comes on standard input. A process that has crashed starts it,
 * because nothing of the run may go on there while a message is under way.
 */

const deliveries = (await json(process.stdin)) as Delivery[];
const never = new AbortController().signal;
await Promise.all(deliveries.map((delivery) => deliver(delivery, never)));
