import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cleanEnvironment } from './clean-environment.ts';

/** Types `answer` at each question. Needs `script`. */
export async function runInTerminal(
  line: string,
  answer: string,
  cwd: string,
  env: Record<string, string>,
  typedBefore = '',
) {
  const main = join(import.meta.dirname, '../../src/main.ts');
  const child = spawn('script', ['-qec', `${process.execPath} ${main} ${line}`, '/dev/null'], {
    cwd,
    env: { ...cleanEnvironment(env), CI: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.write(typedBefore);
  child.stdout.on('data', (shown: Buffer) => {
    if (shown.includes('[y/N]')) child.stdin.write(answer);
  });
  const [shown, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { shown, exitCode };
}
