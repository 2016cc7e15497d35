import { type CompanyNames, nameFields, readNames } from '../../contract/company-names.ts';
import { createFieldPicker } from '../../runtime/pick-fields.ts';
import { isRecord } from './read-problem.ts';

const pickFields = createFieldPicker({ id: true, success: true, ...nameFields });

/**
 * Id and names of a company, read without building the rest of it. Undefined where the body is
 * anything but a plain company.
 */
export function readCompany(
  body: Buffer,
): { readonly companyId: string; readonly names: CompanyNames } | undefined {
  const fields = pickFields(body);
  const companyId = readCompanyId(fields);
  // An `id` beside `success: false` is that of the request, not of a company.
  if (companyId === undefined || fields?.success === false) return undefined;
  return { companyId, names: readNames(fields) };
}

export function readCompanyId(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined;
  const { id } = json;
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}
