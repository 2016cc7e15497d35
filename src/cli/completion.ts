import { command } from './command.ts';
import type { Option } from './options.ts';

/*
 * Each script asks Dossier for the completions, so that it stays right after an upgrade. It sets
 * SHELL, because the shell in use may be another than the login shell.
 */

const bash = `# Completion of dossier for bash. Add to ~/.bashrc:
#   source <(dossier completion bash)
_dossier_completion() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  local word quoted
  COMPREPLY=()
  # Words may be names of files, so they are compared and quoted; compgen -W would expand them.
  while IFS= read -r word; do
    printf -v quoted '%q' "$word"
    if [[ "$word" == "$current"* || "$quoted" == "$current"* ]]; then
      COMPREPLY+=("$quoted")
    fi
  done < <(SHELL=bash dossier --get-yargs-completions "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
}
complete -o bashdefault -o default -F _dossier_completion dossier
`;

const zsh = `#compdef dossier
# Completion of dossier for zsh. Add to ~/.zshrc, behind compinit:
#   source <(dossier completion zsh)
_dossier_completion() {
  local -a words_found
  words_found=("\${(@f)$(SHELL=zsh dossier --get-yargs-completions "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${words_found[1]}" ]]; then
    _describe 'values' words_found
  else
    _default
  fi
}
compdef _dossier_completion dossier
`;

const fish = `# Completion of dossier for fish. Write it once:
#   dossier completion fish > ~/.config/fish/completions/dossier.fish
# Dossier describes words as zsh wants it, behind a colon; fish wants a tab there.
complete -c dossier -a '(SHELL=zsh dossier --get-yargs-completions (commandline -opc) (commandline -ct) 2>/dev/null | string replace : \\t)'
`;

export const completionScripts = { bash, zsh, fish };

const shell: Option<keyof typeof completionScripts> = {
  describe: 'The shell it is for',
  read: (given) => given as keyof typeof completionScripts,
  choices: Object.keys(completionScripts),
};

export const completion = command({
  options: { shell },
  examples: {
    'source <(dossier completion bash)': 'for this shell, or in ~/.bashrc',
    'source <(dossier completion zsh)': 'in ~/.zshrc, behind compinit',
    'dossier completion fish | source': 'for this shell',
  },
  facts: async (args, terminal) => terminal.print(completionScripts[args.shell]),
});
