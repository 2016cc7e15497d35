/** A text of the job file with its variables filled in. A problem never shows their values. */
export type Expansion = { text: string; isExpanded: boolean } | { problem: string };

export type Environment = Readonly<Record<string, string | undefined>>;

const placeholder = /\$\$|\$\{([^}]*)\}|\$\{/g;
const namePattern = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/**
 * Fills in `${NAME}` and `${NAME:-default}`; `$$` is a dollar sign. A variable that is unset or
 * empty is a problem: filled in as empty text it could change the meaning of a path.
 */
export function expandVariables(written: string, env: Environment): Expansion {
  const problems: string[] = [];
  let isExpanded = false;
  const text = written.replace(placeholder, (whole, inside?: string) => {
    if (whole === '$$') return '$';
    const [, name, fallback] = namePattern.exec(inside ?? '') ?? [];
    if (name === undefined) {
      problems.push(
        `a variable is written \${NAME} or \${NAME:-default}; for a dollar sign write $$`,
      );
      return '';
    }
    isExpanded = true;
    const value = env[name] || fallback;
    if (value === undefined) problems.push(unsetText(name, env));
    return value ?? '';
  });
  const [problem] = problems;
  return problem === undefined ? { text, isExpanded } : { problem };
}

function unsetText(name: string, env: Environment): string {
  const state = env[name] === undefined ? 'is not set' : 'is empty';
  return `the environment variable ${name} ${state}; set it, or write \${${name}:-default}`;
}
