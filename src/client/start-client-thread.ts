import { siblingModule } from '../runtime/sibling-module.ts';
import type { SideTask, SideThread } from '../runtime/side-thread.ts';

/**
 * Lets the thread make ready for a client; nothing is opened before it is told which. May come long
 * before the first call: loading its modules takes a moment of one core.
 */
export function startClientThread(thread: SideThread): SideTask {
  return thread.begin(siblingModule(import.meta.url, 'client-thread'));
}
