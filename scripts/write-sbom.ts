import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { packagePath } from '../src/runtime/package-path.ts';

/** The bill of materials of what is installed with the package, as npm knows it. */
const args = ['sbom', '--omit', 'dev', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
const options = { cwd: packagePath('.'), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
const sbom = JSON.parse(execFileSync('npm', args, options)) as {
  metadata: { component: { name: string } };
  components: unknown[];
};
// npm names the root component after the folder of the checkout, which may have any name.
sbom.metadata.component.name = 'dossier';

mkdirSync(packagePath('output'), { recursive: true });
writeFileSync(packagePath('output/sbom.json'), `${JSON.stringify(sbom, undefined, 2)}\n`);
process.stdout.write(`wrote output/sbom.json: ${sbom.components.length} components\n`);
