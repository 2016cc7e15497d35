import type { ExecFileSyncOptions } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { call } from './programs.ts';

const Inspected = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      WorkingDir: z.string(),
      StopSignal: z.string(),
      Volumes: z.record(z.string(), z.unknown()),
      Healthcheck: z.object({ Test: z.array(z.string()) }),
    }),
  }),
});

export type ImageConfig = z.output<typeof Inspected>['Docker']['config'];

export interface Image {
  readonly config: ImageConfig;
  /** The folder that holds the files of the image. */
  readonly root: string;
}

const standIn = 'localhost/node-stand-in';
const name = 'localhost/dossier';

/**
 * Builds the Dockerfile without a Docker engine. In the place of node:24-slim stands a Debian that
 * debootstrap makes, with the Node of this repository and the npm of the registry.
 */
export function buildImage(sources: string, work: string, mirror: string): Image {
  const buildah = (...args: string[]) => callBuildah(work, args);

  const base = makeBase(sources, work, mirror);
  const empty = buildah('from', 'scratch');
  buildah('copy', '--quiet', empty, base, '/');
  // npm in the container needs the certificate of a proxy as well.
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates) {
    buildah('copy', '--quiet', empty, certificates, '/etc/ssl/extra-ca.pem');
    buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/extra-ca.pem', empty);
  }
  buildah('commit', '--quiet', '--rm', empty, standIn);
  const build = ['--isolation', 'chroot', '--format', 'docker', '--build-arg', `BASE=${standIn}`];
  // The output of the build is shown, because it says why a step failed.
  callBuildah(work, ['bud', ...build, '--tag', name, sources], { stdio: 'inherit' });

  const container = buildah('from', name);
  const { config } = Inspected.parse(
    JSON.parse(buildah('inspect', '--type', 'image', name)),
  ).Docker;
  return { config, root: buildah('mount', container) };
}

/** Runs buildah with all its storage below the work folder, so that nothing remains elsewhere. */
export function callBuildah(work: string, args: readonly string[], options?: ExecFileSyncOptions) {
  const pathFlags = ['--root', join(work, 'storage'), '--runroot', join(work, 'run')];
  return call('buildah', [...pathFlags, '--storage-driver', 'vfs', ...args], options);
}

function makeBase(sources: string, work: string, mirror: string): string {
  // BASE_ROOTFS keeps the base between runs: making one takes two minutes.
  const base = process.env.BASE_ROOTFS ?? join(work, 'base');
  if (!existsSync(join(base, 'etc/debian_version'))) {
    call('debootstrap', ['--variant=minbase', 'bookworm', base, mirror]);
  }
  const local = join(base, 'usr/local');
  cpSync(join(sources, 'node_modules/node/bin/node'), join(local, 'bin/node'));

  const npm = join(local, 'lib/node_modules/npm');
  if (!existsSync(npm)) {
    call('npm', ['pack', '--silent', 'npm@11', '--pack-destination', work]);
    const tarball = readdirSync(work).find((file) => /^npm-.*\.tgz$/.test(file)) ?? '';
    mkdirSync(npm, { recursive: true });
    call('tar', ['-xzf', join(work, tarball), '--strip-components=1', '-C', npm]);
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  }
  return base;
}
