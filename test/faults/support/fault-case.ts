import { relative } from 'node:path';
import { test } from 'vitest';
import { createSeed, firstSeed, roundsOf, type Seed } from './seed.ts';

/** The result of a case for the report of `npm run faults`. */
export interface CaseReport {
  rounds: number;
  passed: number;
  failed: number;
  seed: number;
}

declare module 'vitest' {
  interface TaskMeta {
    fault?: CaseReport;
  }
}

/** Ends a round that hangs; no case asserts a time by it. */
const roundTimeoutMs = 300_000;

/**
 * A named case of the fault suite. Its body runs in `short` rounds of `npm test` and `long` ones of
 * `npm run faults`, each with its own seed. A failed round is
 * reported with the command that replays it; the other rounds still run.
 */
export function faultCase(
  name: string,
  body: (seed: Seed) => Promise<void>,
  {
    short = 1,
    long = 1,
    where = test,
  }: { short?: number; long?: number; where?: typeof test } = {},
): void {
  const count = roundsOf(short, long);
  // A case without rounds belongs to the long form only.
  if (count === 0) return;
  where(name, { timeout: count * roundTimeoutMs }, async ({ task }) => {
    const seed = firstSeed();
    const report: CaseReport = { rounds: count, passed: 0, failed: 0, seed };
    task.meta.fault = report;
    const failures: unknown[] = [];
    for (let round = 0; round < count; round += 1) {
      try {
        await body(createSeed(seed + round));
        report.passed += 1;
      } catch (error) {
        report.failed += 1;
        failures.push(error);
        const file = relative(process.cwd(), task.file.filepath);
        process.stderr.write(
          `\n${name}: failed; replay with\n  ${replay(seed + round, file, name)}\n${reasonOf(error)}\n`,
        );
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} rounds failed`);
  });
}

/** Told at once: a round that follows may hang, and then Vitest tells nothing. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, 2_000);
}

function replay(seed: number, file: string, name: string): string {
  const settings = `DOSSIER_FAULT_SEED=${seed} DOSSIER_FAULT_ROUNDS=1`;
  return `${settings} npx vitest run ${file} -t '${name.replaceAll("'", '.')}'`;
}
