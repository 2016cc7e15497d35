import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/*
 * Packs the package, installs the tarball into an empty folder and uses the installed command: it runs
 * the demo, opens the workbench, loads data and serves it, on this Node, on the oldest one that we support and on each
 * whose path is given: `npm run check:package -- /usr/local/bin/node`.
 */
const others = process.argv.slice(2);
const root = join(import.meta.dirname, '..');
// The npm package of Node 22.19 has no binary for arm64.
const oldestNode = process.arch === 'arm64' ? '22.20.0' : '22.19.0';
const folder = mkdtempSync(join(tmpdir(), 'dossier-package-'));

try {
  npm(root, 'run', 'build');
  npm(root, 'pack', '--pack-destination', folder);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  if (!tarball) throw new Error('npm pack made no tarball');
  checkFiles(tarball);
  npm(folder, 'init', '--yes');
  npm(folder, 'install', '--no-fund', `./${tarball}`);
  await useCommand(process.execPath);
  useAsCommand(tarball);
  npm(folder, 'install', '--no-fund', `node@${oldestNode}`);
  for (const node of [join(folder, 'node_modules/node/bin/node'), ...others]) {
    await useCommand(node);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Users need no sources, ledgers, profiles and secrets; all else is missed when the command is used. */
function checkFiles(tarball: string): void {
  const listed = execFileSync('tar', ['-tzf', tarball], { cwd: folder, encoding: 'utf8' });
  const unwanted = /\.(?:tsx?|db|db-wal|db-shm|tgz|cpuprofile)$|(?:^|\/)(?:\.env|\.npmrc)$/;
  const stray = listed.split('\n').filter((path) => unwanted.test(path));
  if (stray.length > 0) throw new Error(`the package holds ${stray.join(', ')}`);
}

async function useCommand(node: string): Promise<void> {
  const command = join(folder, 'node_modules/dossier/dist/main.js');
  const sample = join(folder, 'node_modules/dossier/fixtures/sample');
  const files = ['companies.jsonl', 'people.jsonl'].map((name) => join(sample, name));
  execFileSync(node, [command, 'load', ...files, '--store', 'store.db'], {
    cwd: folder,
    stdio: 'pipe',
  });

  const job = join(folder, 'node_modules/dossier/jobs/demo.yaml');
  const pathFlags = ['--output', 'out', '--ledger', 'ledger.db'];
  execFileSync(node, [command, 'run', job, '--url', 'embedded', ...pathFlags], {
    cwd: folder,
    stdio: 'pipe',
  });
  const report = readFileSync(join(folder, 'out/report.html'), 'utf8');
  if (!report.includes('"job":"demo"')) throw new Error('the packed command writes no report');

  await useWorkbench(node, command);

  const service = spawn(node, [command, 'serve', '--store', 'store.db', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const settings: Record<string, string> = {};
  for await (const line of createInterface({ input: service.stdout })) {
    const [name = '', value = ''] = line.split(/=(.*)/);
    settings[name] = value;
    if (settings.DOSSIER_API_KEY) break;
  }
  const answer = await fetch(`${settings.DOSSIER_URL}/healthz`);
  const health = (await answer.json()) as { status: string; companies: number };
  service.kill('SIGTERM');
  const exitCode = await new Promise((resolve) => service.once('exit', resolve));
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  if (health.status !== 'ok' || health.companies === 0 || exitCode !== 0) {
    throw new Error(`the packed command fails on Node ${version}: ${JSON.stringify(health)}`);
  }
  process.stdout.write(`The packed command works on Node ${version}.\n`);
}

/** The page and the thread that reads its tables come with the package. */
async function useWorkbench(node: string, command: string): Promise<void> {
  const list = 'node_modules/dossier/fixtures/leads/leads.csv';
  copyFileSync(join(folder, list), join(folder, 'leads.csv'));
  execFileSync(node, [command, 'run', 'leads.csv', '--url', 'embedded', '--rate', 'none'], {
    cwd: folder,
    stdio: 'pipe',
  });
  const ui = spawn(node, [command, 'ui', '--no-open', '--url', 'embedded'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [url] = (await once(createInterface({ input: ui.stdout }), 'line')) as [string];
  const page = await (await fetch(url)).text();
  const asked = await fetch(`${url}api/rows?job=leads.csv`, {
    method: 'POST',
    headers: { origin: new URL(url).origin, 'content-type': 'application/json' },
    body: JSON.stringify({ limit: 1, columns: ['status'] }),
  });
  const rows = await asked.text();
  ui.kill('SIGTERM');
  const [exitCode] = await once(ui, 'exit');
  if (!page.includes('<title>Dossier</title>') || !rows.includes('"total":204') || exitCode !== 0) {
    throw new Error(`the packed workbench does not work: ${rows.slice(0, 200)}`);
  }
}

/** As README says: installed for the whole machine, the command works in any folder. */
function useAsCommand(tarball: string): void {
  const installed = join(folder, 'global');
  const linked = join(folder, 'linked');
  npm(folder, 'install', '--global', '--prefix', installed, '--no-fund', `./${tarball}`);
  // `npm link --prefix` would look for the package there, too; the variable names the global folder alone.
  execFileSync('npm', ['link', '--loglevel', 'error'], {
    ...{ cwd: root, stdio: 'pipe' },
    env: { ...process.env, npm_config_prefix: linked },
  });
  for (const place of [installed, linked]) {
    const printed = execFileSync(join(place, 'bin/dossier'), ['identify'], {
      cwd: folder,
      input: 'acme.com\n',
      encoding: 'utf8',
    });
    if (!printed.includes('"fqdn"')) throw new Error(`${place} has no command that works`);
  }
}

function npm(cwd: string, ...args: string[]): void {
  execFileSync('npm', [...args, '--loglevel', 'error'], { cwd, stdio: 'pipe' });
}
