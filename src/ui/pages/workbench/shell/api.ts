import type { ApiProblem } from '../../../workbench/api/lists.ts';

export type { ApiProblem };

/** Thrown where the server refuses: what happened, and what to do next. */
class ApiError extends Error {
  readonly problem: ApiProblem;

  constructor(problem: ApiProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** The address of a part of the server, from that of the page. */
export function apiUrl(path: string, query: Query = {}): string {
  const words = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `api/${path}${words.length > 0 ? '?' : ''}${words.join('&')}`;
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Query;
  /** Sent as JSON; a file is sent as it is. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

type Answers = (path: string, asked: Asked) => unknown;
let offline: Answers | undefined;

/** A report has no server: it answers from the data that it holds. */
export function answerFrom(answers: Answers): void {
  offline = answers;
}

export async function ask<Answer>(path: string, asked: Asked = {}): Promise<Answer> {
  if (offline) return offline(path, asked) as Answer;
  const { method = 'GET', query, body, signal } = asked;
  const isFile = body instanceof Blob;
  const type = isFile ? 'application/octet-stream' : 'application/json';
  let response: Response;
  try {
    response = await fetch(apiUrl(path, query), {
      method,
      ...(signal && { signal }),
      ...(body !== undefined && {
        body: isFile ? body : JSON.stringify(body),
        headers: { 'Content-Type': type },
      }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(serverGone);
  }
  const answer: unknown = await response.json().catch(() => serverGone);
  if (!response.ok) throw new ApiError(isProblem(answer) ? answer : refused(response));
  return answer as Answer;
}

function isProblem(answer: unknown): answer is ApiProblem {
  return typeof answer === 'object' && answer !== null && 'remedy' in answer;
}

/** What the HTTP server refuses by itself comes without words of ours. */
function refused({ status, statusText }: Response): ApiProblem {
  const message = `The request was refused: ${status} ${statusText}.`;
  return { code: 'BUG', message, remedy: 'Load the page again.' };
}

const serverGone: ApiProblem = {
  code: 'BUG',
  message: 'Dossier does not answer: its window was closed, or it has ended.',
  remedy: 'Start `dossier ui` again and open its new address. Runs go on by themselves.',
};

export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiError) return error.problem;
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'BUG', message, remedy: 'Load the page again.' };
}
