import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { packagePath } from '../src/platform/package-path.ts';
import { shippedDependencies } from './docs/licences.ts';

interface Component {
  readonly 'bom-ref': string;
  name: string;
  readonly version: string;
  scope?: string;
}

interface Sbom {
  metadata: { component: Component };
  components: Component[];
  dependencies: { readonly ref: string; dependsOn: string[] }[];
}

/*
 * The bill of materials of what comes with the package and with the container. npm knows all packages of
 * the lock; its own `--omit dev` leaves out those that developers need as well, such as zod.
 */
const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
const options = { cwd: packagePath('.'), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
const sbom = JSON.parse(
  execFileSync('npm', [...args, '--sbom-type', 'application'], options),
) as Sbom;
// npm names the root component after the folder of the checkout, which may have any name.
sbom.metadata.component.name = 'dossier';

const scopes = new Map(
  shippedDependencies().map(({ name, version, isOptional }) => [
    `${name}@${version}`,
    isOptional ? 'optional' : 'required',
  ]),
);
sbom.components = sbom.components.flatMap((component) => {
  const scope = scopes.get(`${component.name}@${component.version}`);
  return scope === undefined ? [] : [{ ...component, scope }];
});
const root = sbom.metadata.component['bom-ref'];
const kept = new Set([root, ...sbom.components.map((component) => component['bom-ref'])]);
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => kept.has(name)) }));

mkdirSync(packagePath('output'), { recursive: true });
writeFileSync(packagePath('output/sbom.json'), `${JSON.stringify(sbom, undefined, 2)}\n`);
process.stdout.write(`wrote output/sbom.json: ${sbom.components.length} components\n`);
