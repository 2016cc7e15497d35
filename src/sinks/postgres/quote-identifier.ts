/** Words that PostgreSQL takes as a name of a table or column only in quotes: those it calls reserved. */
export const reservedInPostgres: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate
  collation column concurrently constraint create cross current_catalog current_date current_role
  current_schema current_time current_timestamp current_user default deferrable desc distinct do else
  end except false fetch for foreign freeze from full grant group having ilike in initially inner
  intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not
  notnull null offset on only or order outer overlaps placing primary references returning right select
  session_user similar some symmetric system_user table tablesample then to trailing true union unique
  user using variadic verbose when where window with`.split(/\s+/),
);

/** `row_key → row_key`, `Order → "Order"`, `order → "order"` */
export function quoteIdentifier(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !reservedInPostgres.has(name);
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}

/** `enrichment.companies`; without a schema, `companies`. */
export function quoteTable(table: string, schema?: string): string {
  const name = quoteIdentifier(table);
  return schema === undefined ? name : `${quoteIdentifier(schema)}.${name}`;
}
