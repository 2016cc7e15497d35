import { useState } from 'preact/hooks';
import type { RunProgress } from '../../../../workbench/api/job-state.ts';
import { type ApiProblem, ask, problemOf } from '../../shell/api.ts';
import { Problem } from '../../shell/problem.tsx';

interface HeldProps {
  readonly job: string;
  readonly run: RunProgress;
  readonly isRunning: boolean;
}

/** A result that was not what the job expects, and is put aside until a person has looked at it. */
export function Held({ job, run, isRunning }: HeldProps) {
  const [step, setStep] = useState<'look' | 'sure' | 'sent'>('look');
  const [problem, setProblem] = useState<ApiProblem>();
  const accept = () => {
    setStep('sent');
    ask('accept', { method: 'POST', query: { job } }).catch((error) => {
      setStep('look');
      setProblem(problemOf(error));
    });
  };
  return (
    <div class="problem card" role="alert">
      <p>
        <b>Not published: it is not what the job expects.</b> The last good files stand as they
        were.
      </p>
      <ul class="held-list">
        {run.run.held.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
      <p class="run-buttons">
        {step === 'look' && (
          <button type="button" disabled={isRunning} onClick={() => setStep('sure')}>
            The result is right: publish it …
          </button>
        )}
        {step === 'sure' && (
          <>
            <button type="button" onClick={() => setStep('look')}>
              Leave it held
            </button>
            <button type="button" onClick={accept}>
              Replace the last good files
            </button>
          </>
        )}
        {step === 'sent' && <span class="none">Publishing …</span>}
      </p>
      {problem && <Problem problem={problem} />}
    </div>
  );
}
