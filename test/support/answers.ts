const facts = { attempts: 1, durationMs: 1 };

export const miss = { kind: 'miss', status: 404, body: Buffer.alloc(0), ...facts } as const;
export const failure = { kind: 'failed', reason: 'HTTP 500', ...facts } as const;
export const invalid = (message: string) =>
  ({ kind: 'invalid', status: 400, message, ...facts }) as const;

export function hitOf(json: unknown, companyId?: string) {
  const body = Buffer.from(JSON.stringify(json));
  return { kind: 'hit' as const, status: 200, body, ...facts, ...(companyId && { companyId }) };
}
