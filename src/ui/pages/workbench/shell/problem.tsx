import { InlineCode } from '../../parts/text/inline-code.tsx';
import type { ApiProblem } from './api.ts';

/** What went wrong, and what to do next. */
export function Problem({ problem }: { readonly problem: ApiProblem }) {
  return (
    <div class="problem card" role="alert">
      <p>
        <b>{asSentence(problem.message)}</b>
      </p>
      <p>
        <InlineCode text={problem.remedy} />
      </p>
    </div>
  );
}

/** `the budget is spent → The budget is spent`. What begins with the name of a file or column stays as it is. */
function asSentence(text: string): string {
  const isPlain = /^(?:a|an|another|it|no|nothing|the|there|these|this) /.test(text);
  return isPlain ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
