import { Company, Person } from '../../src/core/contract/company.ts';
import { countryNames } from '../../src/core/contract/countries.ts';
import { identifierKinds } from '../../src/core/contract/identifier-kinds.ts';
import { departmentNames, seniorityNames } from '../../src/core/contract/reference.ts';
import { CompanyLookup, PeopleSearch } from '../../src/engine/providers/company-data/operations.ts';
import {
  type ProblemCode,
  problems,
  statusOf,
} from '../../src/engine/providers/company-data/problem.ts';
import { fieldTable } from './field-table.ts';
import { codes, fillIn, table } from './markdown.ts';
import { operationProblems } from './openapi.ts';

export function httpApiPage(): string {
  return fillIn('docs/http-api.md', {
    kinds: codes(identifierKinds),
    lookup: fieldTable(CompanyLookup, { isRequest: true }),
    lookupErrors: codeList(operationProblems.lookUpCompany),
    search: fieldTable(PeopleSearch, { isRequest: true }),
    searchErrors: codeList(operationProblems.searchPeople),
    reconcileErrors: codeList(operationProblems.reconcile),
    errors: problemTable(),
    company: fieldTable(Company, { isRequest: true }),
    person: fieldTable(Person, { isRequest: true }),
    countries: table(['code', 'country'], Object.entries(countryNames)),
    seniorities: table(['id', 'name'], Object.entries(seniorityNames)),
    departments: table(['id', 'name'], Object.entries(departmentNames)),
  });
}

function codeList(codes: readonly ProblemCode[]): string {
  return codes.map((code) => problems[code].error).join(', ');
}

function problemTable(): string {
  const rows = (Object.keys(problems) as ProblemCode[]).map((code) => [
    String(problems[code].error),
    String(statusOf(code)),
    code,
    problems[code].message,
  ]);
  return table(['error', 'status', 'name', 'message'], rows);
}
