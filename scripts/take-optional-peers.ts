import { readFileSync, writeFileSync } from 'node:fs';

/*
 * Makes the optional peers dependencies in the package.json of the current folder, for the Dockerfile. Their
 * versions are those of devDependencies, which the lock pins: `npm ci --omit=dev` then installs exactly these,
 * and nothing else that is for developers.
 */
type Versions = Record<string, string>;
const file = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Versions;
  devDependencies: Versions;
  peerDependencies: Versions;
};
for (const name of Object.keys(file.peerDependencies)) {
  const version = file.devDependencies[name];
  if (version === undefined) throw new Error(`${name} is no devDependency, so no lock pins it`);
  file.dependencies[name] = version;
  delete file.devDependencies[name];
}
writeFileSync('package.json', `${JSON.stringify(file, undefined, 2)}\n`);
