import { statSync } from 'node:fs';
import { siblingModule } from '../../runtime/thread/sibling-module.ts';
import { openThread } from '../../runtime/thread/thread.ts';
import { type PackedLedger, type PackRequest, packLedger } from './pack-ledger.ts';
import type { PackingVerbs } from './serve-packing.ts';

/** Below this a ledger is copied before a thread has started. */
const leastBytes = 16 * 1024 * 1024;

/** Packs a ledger beside a run: a large one in a thread, as its check alone would hold up the run for seconds. */
export async function packBeside(request: PackRequest): Promise<PackedLedger> {
  const size = statSync(request.ledger, { throwIfNoEntry: false })?.size ?? 0;
  if (size < leastBytes) return await packLedger(request);
  await using thread = openThread();
  const module = siblingModule(import.meta.url, 'serve-packing');
  const packing = await thread.open<PackingVerbs>(module, undefined);
  return await packing.ask('pack', request);
}
