/** The folder of one run: `out/{date}/{run} → out/2026-08-22/r7`. The date is in UTC. */
export function outputFolder(path: string, run: { id: string; startedAt: Date }): string {
  const filled = { date: run.startedAt.toISOString().slice(0, 10), run: run.id };
  return path.replace(/\{(date|run)\}/g, (_, name: 'date' | 'run') => filled[name]);
}
