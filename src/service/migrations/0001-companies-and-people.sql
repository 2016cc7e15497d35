-- Identifiers are normalised; the body is stored as loaded.
create table company (
  rowid integer primary key,
  id text not null unique,
  abn text,
  fqdn text,
  website text,
  network text,
  country text,
  body text not null
) strict;

create index company_by_abn on company (abn) where abn is not null;
create index company_by_fqdn on company (fqdn) where fqdn is not null;
create index company_by_website on company (website) where website is not null;
create index company_by_network on company (network) where network is not null;

create table person (
  rowid integer primary key,
  person_id text not null unique,
  company_id text not null,
  country text,
  seniority integer not null check (seniority between 1 and 7),
  department integer not null check (department between 1 and 17),
  position text,
  body text not null
) strict;

-- In the order of the answer, so pages need no sorting.
create index person_by_company on person (company_id, seniority, person_id);

-- The company is indexed as a word, so a search reads only its people.
create virtual table person_position using fts5 (
  company, position, content = '', contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2'
);

create trigger person_inserted after insert on person begin
  insert into person_position (rowid, company, position)
  values (new.rowid, 'x' || lower(hex(new.company_id)), coalesce(new.position, ''));
end;

create trigger person_replaced after update on person begin
  delete from person_position where rowid = old.rowid;
  insert into person_position (rowid, company, position)
  values (new.rowid, 'x' || lower(hex(new.company_id)), coalesce(new.position, ''));
end;
