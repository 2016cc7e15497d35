import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBuiltPage } from '../ui/report/report-sink.ts';
import type { ShownJob } from '../ui/workbench/find-job.ts';
import { makeTemporaryFolder } from '../ui/workbench/temporary-files.ts';

export function openBrowser(target: string): boolean {
  const [command, ...args] = opener(target);
  if (command === undefined) return false;
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  // Ignored, because the address is printed anyway.
  child.on('error', () => {});
  child.unref();
  return true;
}

function opener(target: string) {
  switch (process.platform) {
    case 'darwin':
      return ['open', target];
    case 'win32':
      return ['cmd', '/c', 'start', '""', target];
    default: {
      const { DISPLAY, WAYLAND_DISPLAY, PATH = '' } = process.env;
      const hasDisplay = Boolean(DISPLAY || WAYLAND_DISPLAY);
      const isThere = PATH.split(delimiter).some((folder) => existsSync(join(folder, 'xdg-open')));
      return hasDisplay && isThere ? ['xdg-open', target] : [];
    }
  }
}

/**
 * Other users can see the arguments of the browser, so the secret address is in a private file.
 */
export function openPage(url: string) {
  const folder = makeTemporaryFolder();
  const file = join(folder.path, 'open.html');
  const html = `<meta http-equiv="refresh" content="0;url=${url}">`;
  writeFileSync(file, html, { mode: 0o600 });
  return { isOpened: openBrowser(file), [Symbol.dispose]: folder[Symbol.dispose] };
}

const openAfterMs = 5_000;
const lastLookMs = 1_500;

export function openRunView(
  shown: ShownJob,
  announce: (url: string) => void,
  afterMs = openAfterMs,
): AsyncDisposable {
  let opening: Promise<AsyncDisposable | undefined> | undefined;
  const timer = setTimeout(() => {
    // A page that cannot be opened must not stop the run.
    opening = openView(shown, announce).catch(() => undefined);
  }, afterMs);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}

async function openView(shown: ShownJob, announce: (url: string) => void) {
  const page = readBuiltPage('dist/page/workbench.html');
  if (page === undefined) return undefined;
  const { openWorkbench } = await import('../ui/workbench/open-workbench.ts');
  const workbench = await openWorkbench({ page, port: 0, program: [], shown });
  const url = `${workbench.url}#/result/${encodeURIComponent(shown.path)}`;
  announce(url);
  const opened = openPage(url);
  return {
    async [Symbol.asyncDispose]() {
      // The page polls every 700 ms, so after this wait it shows the end of the run.
      if (workbench.isSeen()) await sleep(lastLookMs);
      opened[Symbol.dispose]();
      await workbench[Symbol.asyncDispose]();
    },
  };
}
