import { expect } from 'vitest';

/** The remedy is told, with the job of the command in place of `<job>`. */
export function expectRemedy(stderr: string, remedy: string): void {
  for (const part of remedy.split('<job>')) expect(stderr).toContain(part);
  expect(stderr).not.toContain('<job>');
}
