create table service (
  id integer primary key,
  adapter text not null,
  url text not null,
  unique (adapter, url)
) strict;

-- Null until an older call is needed again: its key hides the URL. Its adapter is `company-data`.
alter table call add column service_id integer;
