import { isRecord } from '../../../core/values/parse-json.ts';
import { readCompanyId } from '../http/read-facts.ts';
import type { PresumedCompany } from '../provider.ts';

/** Errors are shorter, and some have an id, too: that of the request. */
const leastBytes = 1_024;
const closingBrace = 0x7d;

/** JSON that begins with an id. An answer that was cut off hardly ever ends with a brace. */
const idFirst = /^\s*\{\s*"id"\s*:\s*"([\w-]+)"\s*,/;
const mostIdBytes = 100;

export const presumedCompany: PresumedCompany = {
  companyId(body) {
    if (body.length < leastBytes || body.at(-1) !== closingBrace) return undefined;
    return idFirst.exec(body.toString('latin1', 0, mostIdBytes))?.[1];
  },
  isRight: (body, companyId) =>
    isRecord(body) && body.success !== false && readCompanyId(body) === companyId,
};
