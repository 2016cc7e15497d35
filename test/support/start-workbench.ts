import { type OpenUi, openUi } from './open-ui.ts';

export interface RunningWorkbench extends Omit<OpenUi, 'ask'> {
  /** Asks as the page does, and gives what the server answers, be it a problem. */
  ask<Answer>(path: string, asked?: Parameters<OpenUi['ask']>[1]): Promise<Answer>;
}

/** Starts `dossier ui` over a folder, for tests that look at answers alone. */
export async function startWorkbench(
  folder: string,
  env?: Readonly<Record<string, string>>,
): Promise<RunningWorkbench> {
  const ui = await openUi(folder, env);
  return {
    ...ui,
    ask: async <Answer>(path: string, asked?: Parameters<OpenUi['ask']>[1]) =>
      (await ui.ask<Answer>(path, asked)).body,
  };
}
