import type { AnyCommand } from '../../src/cli/parts/command.ts';
import { pageFor } from '../../src/cli/terminal/text.ts';
import { terminal } from './terminal.ts';

/** What a command shows people of its facts, at a terminal of so many columns. */
export function rendered(command: AnyCommand, facts: unknown, columns = 80, args = {}): string {
  const lines = command.text?.(facts, pageFor(terminal(columns)), { json: false, ...args }) ?? [];
  return lines.map((line) => `${line}\n`).join('');
}
