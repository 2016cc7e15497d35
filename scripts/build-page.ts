import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataElement } from '../src/ui/report/report-sink.ts';

const root = join(import.meta.dirname, '..');
const sources = join(root, 'src/ui/pages');
const target = join(root, 'dist/page');

/** The pages that there are: each folder of src/ui/pages with an index.html is one. */
export function pageNames(): string[] {
  return readdirSync(sources).filter((name) => existsSync(join(sources, name, 'index.html')));
}

/** Where the built page is: `report → dist/page/report.html`. */
export function builtPage(name: string): string {
  return join(target, `${name}.html`);
}

export async function buildPages(): Promise<void> {
  for (const name of pageNames()) await buildPage(name);
}

/** Builds a page into one file that needs nothing else. */
export async function buildPage(name: string): Promise<void> {
  const { build } = await import('vite');
  const { viteSingleFile } = await import('vite-plugin-singlefile');
  mkdirSync(target, { recursive: true });
  // Built in a temporary folder and renamed, because a run may read the page at any moment.
  const outDir = mkdtempSync(join(target, '.building-'));
  await build({
    configFile: false,
    root: join(sources, name),
    logLevel: 'warn',
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    plugins: [viteSingleFile()],
    build: { outDir, emptyOutDir: true, target: 'es2022', reportCompressedSize: false },
  });
  const built = join(outDir, 'index.html');
  writeFileSync(built, withPolicy(name, readFileSync(built, 'utf8')));
  renameSync(built, builtPage(name));
  rmSync(outDir, { recursive: true });
}

/** Only the script and the styles of the page itself may run; only its own server may be asked. */
function withPolicy(name: string, html: string): string {
  // The report is a file with its data in it, and asks nobody.
  const isFile = name === 'report';
  if (isFile && html.split(dataElement).length !== 2) {
    throw new Error('the page lost the place of its data');
  }
  const policy = [
    "default-src 'none'",
    `script-src ${hashes(html, /<script(?! type="application\/json")[^>]*>([\s\S]*?)<\/script>/g)}`,
    `style-src ${hashes(html, /<style[^>]*>([\s\S]*?)<\/style>/g)}`,
    'img-src data:',
    `connect-src ${isFile ? "'none'" : "'self'"}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html.replace(
    '<meta charset="utf-8" />',
    () =>
      `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
  );
}

function hashes(html: string, pattern: RegExp): string {
  const found = [...html.matchAll(pattern)].map(([, text = '']) => text);
  if (found.length === 0) throw new Error(`nothing in the page fits ${pattern}`);
  return found
    .map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    .join(' ');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await buildPages();
  } catch (error) {
    // An install without dev dependencies has no vite; the published package brings the pages built.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write('The pages are not built: vite is not installed.\n');
  }
}
