import type { ApiProblem } from '../../workbench/api/answers.ts';

export type { ApiProblem };

class ApiError extends Error {
  readonly problem: ApiProblem;

  constructor(problem: ApiProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export function apiUrl(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value));
  }
  return `api/${path}?${params}`;
}

interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export async function request<Answer>(path: string, options: ApiRequest = {}): Promise<Answer> {
  const { query, body, signal } = options;
  const { method = body === undefined ? 'GET' : 'POST' } = options;
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
  // An answer that is cut off may still have status 200.
  if (!response.ok || answer === serverGone) {
    throw new ApiError(isProblem(answer) ? answer : refused(response));
  }
  return answer as Answer;
}

function isProblem(answer: unknown): answer is ApiProblem {
  return typeof answer === 'object' && answer !== null && 'remedy' in answer;
}

/** If the HTTP server itself refuses a request, its answer is not an ApiProblem. */
function refused({ status, statusText }: Response): ApiProblem {
  const message = `The request was refused: ${status} ${statusText}.`;
  return { message, remedy: 'Reload the page.' };
}

const serverGone: ApiProblem = {
  message: 'Dossier is not responding: its terminal was closed, or `dossier ui` ended.',
  remedy:
    'Start `dossier ui` again and open its new URL. A run in progress continues without this page.',
};

export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiError) return error.problem;
  const message = error instanceof Error ? error.message : String(error);
  return { message, remedy: 'Reload the page.' };
}
