#!/usr/bin/env node
// Node 20 has no enableCompileCache, so importing it by name would fail before the version check.
import nodeModule from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// All other imports follow this check, because an old Node would report a syntax error in them.
if (major < 22 || (major === 22 && minor < 19)) {
  const { DossierError, errorCatalog } = await import('./core/errors.ts');
  const error = new DossierError(
    'NODE_TOO_OLD',
    `dossier needs a newer Node; this is ${process.version}.`,
  );
  const argv = process.argv.slice(2);
  const { failureEvents, wantsEvents, wantsJson } = await import('./cli/terminal/terminal.ts');
  if (wantsJson(argv)) {
    const { failedRun } = await import('./cli/run/end-record.ts');
    process.stdout.write(`${JSON.stringify(failedRun(error))}\n`);
  }
  const { exitCode, remedy } = errorCatalog.NODE_TOO_OLD;
  process.stderr.write(
    wantsEvents(argv) ? failureEvents(error, argv) : `${error.message}\n${remedy}\n`,
  );
  process.exit(exitCode);
}

// Reuse compiled code, because compiling takes half of a short command's time.
const { directory } = nodeModule.enableCompileCache();
// Worker threads read the cache folder from this variable.
if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory;
const { skipUnusedModules } = await import('./platform/skip-unused-modules.ts');
skipUnusedModules();
const { folderOfUser } = await import('./platform/package-path.ts');
const folder = folderOfUser(process.env);
if (folder !== undefined) process.chdir(folder);
const { runProgram } = await import('./cli/program.ts');
process.exitCode = await runProgram(process.argv.slice(2));
