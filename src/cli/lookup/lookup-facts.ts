type Json = Record<string, unknown>;

/** The fields that the card shows, in order. An answer may hold any JSON, so no type is assumed. */
const facts: readonly (readonly [label: string, read: (company: Json) => string])[] = [
  ['website', ({ website, fqdn }) => textOf(website) || textOf(fqdn)],
  ['network', ({ network }) => textOf(network)],
  ['ABN', ({ industry_codes }) => textOf(asObject(industry_codes).abn)],
  ['ACN', ({ industry_codes }) => textOf(asObject(industry_codes).acn)],
  ['register', ({ abn_operation_status }) => textOf(abn_operation_status)],
  ['type', ({ company_type }) => textOf(company_type)],
  ['industries', ({ industries }) => textOf(industries)],
  ['employees', ({ employee_count, company_size }) => sizeOf(employee_count, company_size)],
  ['revenue', ({ revenue }) => textOf(revenue)],
  ['founded', ({ year_founded }) => textOf(year_founded)],
  ['headquarters', ({ hq_location, hq_country }) => textOf([hq_location, hq_country], ', ')],
  ['phones', ({ phones }) => textOf(phones)],
  ['e-mails', ({ emails }) => textOf(emails)],
  ['id', ({ id }) => textOf(id)],
];

/** The main fields of a company for people, without those that are empty. */
export function companyFacts(company: Json): [label: string, value: string][] {
  return facts.flatMap(([label, read]): [string, string][] => {
    const value = read(company);
    return value === '' ? [] : [[label, value]];
  });
}

/** Any JSON value as text; the parts of a list are joined. */
export function textOf(value: unknown, separator = '; '): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) {
    return value
      .map((part) => textOf(part))
      .filter(Boolean)
      .join(separator);
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function sizeOf(employees: unknown, band: unknown): string {
  const exact = typeof employees === 'number' ? employees.toLocaleString('en') : textOf(employees);
  const size = textOf(band);
  if (exact === '') return size;
  return size === '' ? exact : `${exact} (${size})`;
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
