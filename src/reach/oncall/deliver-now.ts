import { json } from 'node:stream/consumers';
import { type Delivery, deliver } from './on-call.ts';

/* A separate program, because no part of a crashed run may continue while a message is sent. */

const deliveries = (await json(process.stdin)) as Delivery[];
const never = new AbortController().signal;
await Promise.all(deliveries.map((delivery) => deliver(delivery, never)));
