import {
  type Dependency,
  installedPackages,
  lockedPackages,
  optionalPackages,
} from './locked-packages.ts';
import { table } from './markdown.ts';

/** Dev dependencies whose code is part of the report page and of the workbench. */
const inlined = ['preact'];

/** All packages that reach a user, from the lock file. */
export function shippedDependencies(): (Dependency & { readonly isOptional: boolean })[] {
  const everywhere = [...installedPackages(), ...lockedPackages(inlined)];
  return [
    ...everywhere.map((one) => ({ ...one, isOptional: false })),
    ...optionalPackages().map((one) => ({ ...one, isOptional: true })),
  ].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** docs/licences.md, from the lock file. */
export function licencesPage(): string {
  const dependencies = shippedDependencies();
  const licenses = [...new Set(dependencies.map(({ license }) => license))].sort();
  const count = (isOptional: boolean, license?: string) =>
    dependencies.filter(
      (one) => one.isOptional === isOptional && (license ?? one.license) === one.license,
    ).length;
  return [
    '# Licences of what Dossier brings along',
    '<!-- Written by `npm run docs` from package-lock.json; edit that instead. -->',
    `Dossier itself is under the MIT licence. ${count(false)} packages come with it. ${count(true)} more are for object storage, PostgreSQL and Redis: the container has them, and whoever installs the optional peers.`,
    table(
      ['licence', 'packages', 'optional'],
      licenses.map((license) => [
        license,
        String(count(false, license)),
        String(count(true, license)),
      ]),
    ),
    '`npm run sbom` writes the same as a bill of materials (CycloneDX) to `output/sbom.json`; what is optional has that scope.',
    table(
      ['package', 'version', 'licence', ''],
      dependencies.map(({ name, version, license, isOptional }) => [
        ...[name, version, license],
        isOptional ? 'optional' : '',
      ]),
    ),
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}
