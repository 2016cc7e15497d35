import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';

/** Runs a program of the system, shows its errors and returns its output. */
export function call(program: string, args: readonly string[], options: ExecFileSyncOptions = {}) {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const output = execFileSync(program, args, { stdio: [...stdio], ...options });
  // The output is null when it goes to the terminal.
  return String(output ?? '').trim();
}

/** Installs the Debian packages of programs that are missing. */
export function installMissing(packages: Readonly<Record<string, string>>): void {
  const missing = Object.entries(packages)
    .filter(([program]) => !isThere(program))
    .map(([, name]) => name);
  if (missing.length === 0) return;
  call('apt-get', ['update', '-qq']);
  call('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing]);
}

function isThere(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
