import type { CommandModule } from 'yargs';
import { completionScripts } from './completion-scripts.ts';

type Shell = keyof typeof completionScripts;

const shells = Object.keys(completionScripts) as Shell[];

export const completionCommand: CommandModule<object, { shell: Shell }> = {
  command: 'completion <shell>',
  describe: 'Print a script that lets a shell complete commands and flags',
  builder: (args) =>
    args
      .positional('shell', { choices: shells, demandOption: true, describe: 'The shell it is for' })
      .example('source <(dossier completion bash)', 'for this shell, or in ~/.bashrc')
      .example('source <(dossier completion zsh)', 'in ~/.zshrc, behind compinit')
      .example('dossier completion fish | source', 'for this shell'),
  handler: ({ shell }) => {
    process.stdout.write(completionScripts[shell]);
  },
};
