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
import { table } from './markdown.ts';
import { operationProblems } from './openapi.ts';

export function httpApiPage(): string {
  return `<!-- Made from src/engine/providers/company-data by \`npm run docs\`; edit there. -->

# The Company Data Service over HTTP

\`dossier serve\` answers two operations, and a client may rely on all that this page says. The same
in machine form: [openapi.json](openapi.json), also served at \`/openapi.json\`.

Every request carries \`Authorization: Bearer <API_KEY>\`. Answers are JSON in UTF-8. A blank parameter
counts as absent. \`/healthz\` and \`/openapi.json\` need no key.

## GET /company

Returns the company found by one identifier. Where several are sent, the first of
${identifierKinds.map((kind) => `\`${kind}\``).join(', ')} decides. Identifiers are cleaned as people write them:
\`ABN 51 824 753 556\`, \`https://www.Acme.com.au/about\` and \`au.linkedin.com/company/acme\` are all
understood. A domain is looked for as it is, then without its subdomain. Where several companies
share an identifier, one with its headquarters in \`country\` comes first, then the lowest id.

${fieldTable(CompanyLookup, { isRequest: true })}

\`\`\`sh
curl -H "Authorization: Bearer $DOSSIER_API_KEY" "$DOSSIER_URL/company?abn=51824753556&country=AU"
\`\`\`

200: a company, as [below](#company). Errors: ${codeList(operationProblems.lookUpCompany)}.

## POST /people/search

Finds people at one company. People must match all filters; a position matches when all its words occur, in any
order and case. People who are loaded with a country are found under that country only, the others
under every country. Results come in the order of seniority, then \`person_id\`, so pages never
overlap. The array is empty if nothing is found or the \`companyId\` is unknown.

${fieldTable(PeopleSearch, { isRequest: true })}

\`\`\`sh
curl -H "Authorization: Bearer $DOSSIER_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"companyId": "c_1", "seniority": "3", "from": "0", "size": "50"}' "$DOSSIER_URL/people/search"
\`\`\`

200: an array of [people](#person). Errors: ${codeList(operationProblems.searchPeople)}.

## /reconcile

With \`serve --register\`, company names are matched by the Reconciliation Service API 0.2: manifest, queries, suggestions and
data extension. [names.md](names.md#how-do-i-use-it-in-openrefine) says how a tool without headers gets in.
Errors: ${codeList(operationProblems.reconcile)}.

## Errors

Every error is an object \`{"error": <integer>, "message": <text>}\`. The first three digits of the
code are the status.

${problemTable()}

With \`serve --rate N\`, a 429 carries \`Retry-After\`.

## Company

Any field but \`id\` may be null or absent. Fields that are not listed here are kept and returned as
they were loaded. The field \`network\` is read as \`linkedin\` too, wherever it occurs.

${fieldTable(Company, { isRequest: true })}

## Person

${fieldTable(Person, { isRequest: true })}

## Countries

${table(['code', 'country'], Object.entries(countryNames))}

## Seniority

The interface fixes 1 and 7; the other names are ours.

${table(['id', 'name'], Object.entries(seniorityNames))}

## Departments

${table(['id', 'name'], Object.entries(departmentNames))}

## Loading

\`dossier load\` takes JSONL, plain, gzip or zstd. A line with \`person_id\` is a person: the fields of a
match with \`company_id\`, \`seniority\` (1–7), \`department\` (1–17) and optionally \`country\`. Any other
line is a company. Loading the same id again replaces it. A bad line is reported with its number and
passed over; \`--strict\` stops at it.
`;
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
