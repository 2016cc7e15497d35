import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Image, ImageConfig } from './build-image.ts';

/*
 * Does what a container engine does: own namespaces for mounts and processes, a read-only root, a
 * writable /data, an unprivileged user, and the command as process 1.
 */
const setUp = `
set -e
root=$1 data=$2 user=$3 folder=$4
shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount --bind "$data" "$root/data"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -o remount,ro "$root/dev"
exec setpriv --no-new-privs \\
  nsenter --root="$root" --wd="$root$folder" --setgid "\${user#*:}" --setuid "\${user%:*}" -- "$@"
`;

export interface Container {
  /** Standard error so far. */
  said(): string;
  /** Sends a signal to process 1, as `docker stop` does. */
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly exitCode: number | null; readonly stdout: string }>;
  /** Runs the health check of the image inside; its exit code, or null when it hangs. */
  checkHealth(): number | null;
}

/** Starts the image with these arguments; only the folder `data` is writable, as /data. */
export function startContainer(
  image: Image,
  data: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Container {
  const { config, root } = image;
  const { User, WorkingDir, Entrypoint } = config;
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const command = [...environment(config), ...given, ...Entrypoint, ...args];
  const child = spawn(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--kill-child', '--'],
      ...['sh', '-c', setUp, 'sh', root, data, User, WorkingDir, ...command],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const pid = () => firstChildOf(child);
  return {
    said: () => stderr,
    signal: (signal) => process.kill(pid(), signal),
    ended: new Promise((resolve) =>
      child.once('close', (exitCode) => resolve({ exitCode, stdout })),
    ),
    checkHealth: () => checkHealth(pid(), config),
  };
}

function firstChildOf({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

/** Runs the health check inside the container, as `docker exec` would. */
function checkHealth(pid: number, config: ImageConfig): number | null {
  const [kind, ...command] = config.Healthcheck.Test;
  if (kind !== 'CMD') throw new Error('the health check goes through a shell');
  const [uid = '', gid = ''] = config.User.split(':');
  const inside = ['--target', String(pid), '--mount', '--pid', '--root', '--wd'];
  const user = ['--setgid', gid, '--setuid', uid];
  const options = { timeout: 5_000, stdio: 'ignore' } as const;
  const all = [...inside, ...user, '--', ...environment(config), ...command];
  return spawnSync('nsenter', all, options).status;
}

/** Only the variables of the image: none of this machine's environment reaches the container. */
function environment({ Env }: ImageConfig): string[] {
  return ['env', '-i', ...Env];
}
