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
  const bodies = finished.flatMap((item) => bodyIn(item) ?? []);
  const bundled = bundleBodies(bodies);
  const { bytes, places, placeOf } = layOut(bundled);
  let next = 0;
  const settled = finished.map((item): Settled => {
    if (!('outcome' in item) || !('body' in item.outcome)) return item;
    const { body: _, ...outcome } = item.outcome;
    const body = bundled[next++];
    return { id: item.id, outcome, ...(body && { body: placeOf(body) }) };
  });
  const news: ThreadNews = { events, settled, bundles: places };
  return { message: { news: JSON.stringify(news), bytes }, bytes };
}

function bodyIn(item: Finished): Buffer | undefined {
  const body = 'outcome' in item && 'body' in item.outcome ? item.outcome.body : undefined;
  return Buffer.isBuffer(body) ? body : undefined;
}

/** Puts all bundles into one stretch of memory, which then belongs to whoever gets the message. */
function layOut(bodies: readonly BundledBody[]) {
  const bundles = [...new Set(bodies.map(({ bundle }) => bundle))];
  const bytes = new ArrayBuffer(bundles.reduce((sum, bundle) => sum + bundle.bytes.length, 0));
  const view = new Uint8Array(bytes);
  let byteStart = 0;
  const places = bundles.map(({ bytes: packed, ...bundle }): BundlePlace => {
    view.set(packed, byteStart);
    const place = { ...bundle, byteStart, byteLength: packed.length };
    byteStart += packed.length;
    return place;
  });
  const numbers = new Map<Bundle, number>(bundles.map((bundle, number) => [bundle, number]));
  const placeOf = ({ bundle, ...place }: BundledBody): BodyPlace => ({
    ...place,
    bundle: numbers.get(bundle) ?? 0,
  });
  return { bytes, places, placeOf };
}

/** What `packNews` has packed. Bundles stay where they are in the bytes. */
export function unpackNews({ news, bytes }: FromThread): {
  readonly events: readonly ClientEvent[];
  readonly finished: readonly Finished[];
} {
  const { events, settled, bundles } = JSON.parse(news) as ThreadNews;
  const received = bundles.map(
    ({ byteStart, byteLength, ...bundle }): Bundle => ({
      ...bundle,
      bytes: Buffer.from(bytes, byteStart, byteLength),
    }),
  );
  const finished = settled.map((item): Finished => {
    if (!('outcome' in item)) return item;
    const { id, outcome, body } = item;
    if (!body) return { id, outcome: outcome as CallOutcome };
    const bundle = received[body.bundle];
    return { id, outcome: { ...outcome, body: { ...body, bundle } } as CallOutcome };
  });
  return { events, finished };
}
