import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataPlace } from '../src/report/render-report.ts';

const root = join(import.meta.dirname, '..');
const page = join(root, 'dist/page/report.html');

/** Builds the page of the report into one file that needs nothing else, dist/page/report.html. */
export async function buildPage(): Promise<void> {
  const { build } = await import('vite');
  const { viteSingleFile } = await import('vite-plugin-singlefile');
  mkdirSync(dirname(page), { recursive: true });
  // Built in a temporary folder and renamed, because a run may read the page at any moment.
  const outDir = mkdtempSync(join(dirname(page), '.building-'));
  await build({
    configFile: false,
    root: join(root, 'src/report/page'),
    logLevel: 'warn',
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    plugins: [viteSingleFile()],
    build: { outDir, emptyOutDir: true, target: 'es2022', reportCompressedSize: false },
  });
  const built = join(outDir, 'index.html');
  writeFileSync(built, withPolicy(readFileSync(built, 'utf8')));
  renameSync(built, page);
  rmSync(outDir, { recursive: true });
}

/** Only the script and the styles of the page itself may run; nothing may be fetched. */
function withPolicy(html: string): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashes(html, /<script(?! type="application\/json")[^>]*>([\s\S]*?)<\/script>/g)}`,
    `style-src ${hashes(html, /<style[^>]*>([\s\S]*?)<\/style>/g)}`,
    'img-src data:',
    // The live view puts 'self' here.
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  if (html.split(dataPlace).length !== 2) throw new Error('the page lost the place of its data');
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
    await buildPage();
  } catch (error) {
    // An install without dev dependencies has no vite; the published package brings the page built.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write('The page of the report is not built: vite is not installed.\n');
  }
}
