import { InlineCode } from '../../parts/text/inline-code.tsx';
import type { ApiProblem } from './api.ts';

/** What went wrong, and what to do next. */
export function Problem({ problem }: { readonly problem: ApiProblem }) {
  return (
    <div class="problem card" role="alert">
      <p>
        <b>{problem.message}</b>
      </p>
      <p>
        <InlineCode text={problem.remedy} />
      </p>
    </div>
  );
}
