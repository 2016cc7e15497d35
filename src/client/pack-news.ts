import type { Bundle, BundledBody, CallOutcome } from '../contract/call.ts';
import { bundleBodies } from '../runtime/bundle.ts';
import type { ClientEvent } from './client-event.ts';
import type {
  BodyPlace,
  BundlePlace,
  Failure,
  FromThread,
  Settled,
  ThreadNews,
} from './thread-messages.ts';

export type Finished =
  | { readonly id: number; readonly outcome: CallOutcome }
  | { readonly id: number; readonly failure: Failure };

/** Makes one message of what has happened. Bodies are made ready for the ledger on the way. */
export function packNews(
  events: readonly ClientEvent[],
  finished: readonly Finished[],
): { message: FromThread; bytes: ArrayBuffer } {
  const bodies = finished.map(bodyIn).filter((body) => body !== undefined);
  const { bytes, bundles, places } = layOut(bundleBodies(bodies));
  let next = 0;
  const settled = finished.map((item) => {
    if (!('outcome' in item) || !('body' in item.outcome)) return item;
    return { id: item.id, outcome: { ...item.outcome, body: places[next++] } };
  });
  const news: ThreadNews = { events, settled: settled as Settled[], bundles };
  return { message: { news: JSON.stringify(news), bytes }, bytes };
}

function bodyIn(item: Finished): Buffer | undefined {
  const body = 'outcome' in item && 'body' in item.outcome ? item.outcome.body : undefined;
  return Buffer.isBuffer(body) ? body : undefined;
}

/** Puts all bundles into one stretch of memory, which then belongs to whoever gets the message. */
function layOut(bodies: readonly BundledBody[]) {
  const packed: Buffer[] = [];
  const bundles: BundlePlace[] = [];
  let byteLength = 0;
  let last: Bundle | undefined;
  const places = bodies.map(({ bundle, start, length, checksum }): BodyPlace => {
    // The bodies of a bundle follow each other.
    if (bundle !== last) {
      const { encoding, plainLength, bytes } = bundle;
      packed.push(bytes);
      bundles.push({ encoding, plainLength, byteStart: byteLength, byteLength: bytes.length });
      byteLength += bytes.length;
      last = bundle;
    }
    return { bundle: bundles.length - 1, start, length, checksum };
  });
  const bytes = new ArrayBuffer(byteLength);
  const view = new Uint8Array(bytes);
  for (const [number, { byteStart }] of bundles.entries())
    view.set(packed[number] ?? [], byteStart);
  return { bytes, bundles, places };
}

/** What `packNews` has packed. Bundles stay where they are in the bytes. */
export function unpackNews({ news, bytes }: FromThread): {
  readonly events: readonly ClientEvent[];
  readonly finished: readonly Finished[];
} {
  const { events, settled, bundles } = JSON.parse(news) as ThreadNews;
  const received = bundles.map(
    ({ encoding, plainLength, byteStart, byteLength }): Bundle => ({
      encoding,
      plainLength,
      bytes: Buffer.from(bytes, byteStart, byteLength),
    }),
  );
  const finished = settled.map((item) => {
    if (!('outcome' in item) || !('body' in item.outcome)) return item;
    const { body } = item.outcome;
    const bundle = received[body.bundle];
    return { id: item.id, outcome: { ...item.outcome, body: { ...body, bundle } } };
  });
  return { events, finished: finished as Finished[] };
}
