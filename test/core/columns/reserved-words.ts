/** Words that cannot be the name of a column without quotes, by the documents of each database. */
const reserved = {
  postgresql: `
    all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate
    collation column concurrently constraint create cross current_catalog current_date current_role
    current_schema current_time current_timestamp current_user default deferrable desc distinct do else
    end except false fetch for foreign freeze from full grant group having ilike in initially inner
    intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not
    notnull null offset on only or order outer overlaps placing primary references returning right select
    session_user similar some symmetric system_user table tablesample then to trailing true union unique
    user using variadic verbose when where window with`,
  snowflake: `
    account all alter and any as between by case cast check column connect connection constraint create
    cross current current_date current_time current_timestamp current_user database delete distinct drop
    else exists false following for from full grant group gscluster having ilike in increment inner insert
    intersect into is issue join lateral left like localtime localtimestamp minus natural not null of on
    or order organization qualify regexp revoke right rlike row rows sample schema select set some start
    table tablesample then to trigger true try_cast union unique update using values view when whenever
    where with`,
  bigquery: `
    all and any array as asc assert_rows_modified at between by case cast collate contains create cross
    cube current default define desc distinct else end enum escape except exclude exists extract false
    fetch following for from full group grouping groups hash having if ignore in inner intersect interval
    into is join lateral left like limit lookup merge natural new no not null nulls of on or order outer
    over partition preceding proto qualify range recursive respect right rollup rows select set some
    struct tablesample then to treat true unbounded union unnest using when where window with within`,
};

export const reservedWords: ReadonlySet<string> = new Set(
  Object.values(reserved).flatMap((words) => words.trim().split(/\s+/)),
);
