import { readFileSync } from 'node:fs';
import { packagePath } from '../../src/runtime/package-path.ts';
import { table } from './markdown.ts';

export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
}

/** Dev dependencies whose code is part of the report page. */
const inlined = ['preact', 'uplot'];

/** All packages that reach a user, from the lock file. */
export function shippedDependencies(): Dependency[] {
  const lock = JSON.parse(readFileSync(packagePath('package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(lock.packages)
    .map(([path, locked]) => ({ name: path.split('node_modules/').at(-1) ?? '', ...locked }))
    .filter(({ name, dev }) => name !== '' && (!dev || inlined.includes(name)))
    .map(({ name, version = '', license = 'none named' }) => ({ name, version, license }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** docs/licences.md, from the lock file. */
export function licencesPage(): string {
  const dependencies = shippedDependencies();
  const count = (license: string) => dependencies.filter((one) => one.license === license).length;
  const licenses = [...new Set(dependencies.map(({ license }) => license))].sort();
  return [
    '# Licences of what Dossier brings along',
    '<!-- Written by `npm run docs` from package-lock.json; edit that instead. -->',
    `Dossier itself is under the MIT licence. The ${dependencies.length} packages that reach its users:`,
    table(
      ['licence', 'packages'],
      licenses.map((license) => [license, String(count(license))]),
    ),
    '`npm run sbom` writes the same as a bill of materials (CycloneDX) to `output/sbom.json`.',
    table(
      ['package', 'version', 'licence'],
      dependencies.map(({ name, version, license }) => [name, version, license]),
    ),
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}
