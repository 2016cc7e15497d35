import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test.each(['', 'process.exit(0)', 'setImmediate(() => process.exit(0))'])(
  'lines that wait for each other are all written at the end: %s',
  async (ending) => {
    const log = join(import.meta.dirname, '../../src/runtime/log.ts');
    const program = `
      import { openLog } from ${JSON.stringify(log)};
      const log = openLog({ format: 'text', isBuffered: true });
      for (let line = 0; line < 5000; line += 1) log.info({ line }, 'line.written');
      ${ending}`;
    const { stderr } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      program,
    ]);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(5_000);
    expect(lines.at(-1)).toMatch(/line\.written line=4999$/);
  },
);
