import { z } from 'zod';
import { Company } from '../../contract/company.ts';
import { nameNetwork } from '../../contract/network-name.ts';
import { Person } from '../../contract/person.ts';
import { departmentNames, seniorityNames } from '../../contract/reference.ts';
import { parseCountry } from '../../identify/parse-country.ts';
import { companyKeys } from './company-keys.ts';
import type { StoredCompany, StoredPerson } from './statements.ts';

declare global {
  interface JSON {
    /** Node has it since version 21; the types of TypeScript's library lack it. */
    rawJSON(text: string): object;
  }
}

export type StoreLine =
  | { kind: 'company'; company: StoredCompany }
  | { kind: 'person'; person: StoredPerson }
  | { kind: 'bad'; problem: string };

const idAmong = (names: Record<number, string>) =>
  z
    .union([z.int(), z.string().regex(/^\d+$/).transform(Number)])
    .pipe(z.int().min(1).max(Object.keys(names).length));

/** A line with `person_id`: a person of the interface and the fields that place it in the store. */
const PersonLine = Person.extend({
  company_id: z.string().min(1),
  seniority: idAmong(seniorityNames),
  department: idAmong(departmentNames),
  country: z.string().nullish(),
});

/** Fields that only the store needs; answers do not have them. */
const storeFields = ['company_id', 'seniority', 'department', 'country'] as const;

/** Reads one line of JSONL: a person if it has `person_id`, else a company. */
export function readLine(text: string): StoreLine {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'bad', problem: value === undefined ? 'not JSON' : 'not a JSON object' };
  }
  return 'person_id' in value ? readPerson(text, value) : readCompany(text, value);
}

function readCompany(text: string, value: object): StoreLine {
  const named = nameNetwork(value);
  const parsed = Company.safeParse(named);
  if (!parsed.success) return { kind: 'bad', problem: describe(parsed.error) };
  // The body is the line itself where possible, so that numbers and the order of fields stay.
  const body = named === value ? text.trim() : restate(text, nameNetwork);
  return { kind: 'company', company: { ...companyKeys(parsed.data), body } };
}

function readPerson(text: string, value: object): StoreLine {
  const parsed = PersonLine.safeParse(nameNetwork(value));
  if (!parsed.success) return { kind: 'bad', problem: describe(parsed.error) };
  const { data } = parsed;
  const country = parseCountry(data.country ?? '');
  if (typeof country === 'object') return { kind: 'bad', problem: `country: ${country.message}` };
  return {
    kind: 'person',
    person: {
      personId: data.person_id,
      companyId: data.company_id,
      country: country ?? null,
      seniority: data.seniority,
      department: data.department,
      position: data.position ?? null,
      body: restate(text, (person) => withoutStoreFields(nameNetwork(person))),
    },
  };
}

function withoutStoreFields(person: unknown): unknown {
  const kept = { ...(person as Record<string, unknown>) };
  for (const field of storeFields) delete kept[field];
  return kept;
}

/** Changes JSON but keeps the text of its numbers: 1.0 stays 1.0, long ones keep every digit. */
function restate(text: string, change: (value: unknown) => unknown): string {
  return JSON.stringify(change(JSON.parse(text, keepNumberText)));
}

function keepNumberText(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isRewritten = typeof value === 'number' && context?.source !== String(value);
  return isRewritten && context?.source ? JSON.rawJSON(context.source) : value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `employee_count: expected int, received string` */
function describe(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.')}: ${message.replace(/^Invalid input: /, '')}`)
    .join('; ');
}
