import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { CaseReport } from '../test/faults/support/fault-case.ts';

interface CaseLine extends CaseReport {
  name: string;
  seconds: number;
  isSkipped: boolean;
}

/** Reports the result of each named case of the fault suite, as text and as JSON. */
export function faultReport(path: string): Reporter {
  const startedAt = new Date();
  return {
    onTestRunEnd(modules) {
      const cases = modules.flatMap((module) => linesOf(module));
      const total = {
        cases: cases.length,
        rounds: sum(cases, 'rounds'),
        passed: sum(cases, 'passed'),
        failed: sum(cases, 'failed') + modules.filter(isBroken).length,
        skipped: cases.filter(({ isSkipped }) => isSkipped).length,
      };
      const { version, platform, arch } = process;
      const machine = { node: version, platform, arch };
      const report = { startedAt, endedAt: new Date(), machine, total, cases };
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${JSON.stringify(report, undefined, 2)}\n`);
      process.stdout.write(`\n${tableOf(cases)}\n${totalLine(total)}, in ${path}\n`);
    },
  };
}

function linesOf(module: TestModule): CaseLine[] {
  return [...module.children.allTests()].map((test) => {
    const { state } = test.result();
    const isSkipped = state === 'skipped';
    const seconds = Math.round((test.diagnostic()?.duration ?? 0) / 1_000);
    // A test that is no seeded case, or that ended before it reported its rounds.
    const plain = { rounds: isSkipped ? 0 : 1, passed: 0, failed: 0, seed: 0 };
    const fault = test.meta().fault ?? { ...plain, [state]: plain.rounds };
    return { name: nameOf(test), ...fault, seconds, isSkipped };
  });
}

function nameOf(test: TestCase): string {
  return test.fullName.replaceAll(' > ', ' ');
}

/** Whether a file failed without a failed test: it cannot be loaded, or its set-up throws. */
function isBroken(module: TestModule): boolean {
  const hasFailure = [...module.children.allTests()].some((test) => !test.ok());
  return !module.ok() && !hasFailure;
}

function sum(cases: readonly CaseLine[], column: 'rounds' | 'passed' | 'failed'): number {
  return cases.reduce((total, line) => total + line[column], 0);
}

function tableOf(cases: readonly CaseLine[]): string {
  const head = ['rounds', 'passed', 'failed', 'seed', 'seconds'] as const;
  const lines = [
    `${head.map((column) => column.padStart(11)).join('')}  case`,
    ...cases.map((line) => {
      const figures = head.map((column) => String(line[column]).padStart(11)).join('');
      return `${figures}  ${line.name}${line.isSkipped ? ' (skipped)' : ''}`;
    }),
  ];
  return lines.join('\n');
}

function totalLine(total: Record<string, number>): string {
  const { cases, rounds, passed, failed, skipped } = total;
  return `${cases} cases, ${rounds} rounds: ${passed} passed, ${failed} failed, ${skipped} cases skipped`;
}
