create table source (
  id integer primary key,
  kind text not null,
  -- A file of the bulk extract, or the name of an own list. Loading the same part again replaces it.
  part text not null,
  file text not null,
  extracted_at text,
  loaded_at text not null,
  entities integer not null,
  names integer not null,
  unique (kind, part)
) strict;

-- What one source says about an identifier. Ids of a source follow each other.
create table entity (
  id integer primary key,
  source integer not null,
  kind text not null,
  value text not null,
  -- Its names follow each other, the main one first.
  first_name integer not null,
  is_active integer check (is_active in (0, 1)),
  is_person integer not null check (is_person in (0, 1)),
  type text,
  state text,
  postcode text,
  gst text,
  acn text
) strict;

create table name (
  id integer primary key,
  entity integer not null,
  kind integer not null,
  -- Hash of the folded name; its first half is the hash of the first word.
  fold integer not null,
  text text not null
) strict;

create table entity_type (code text primary key, words text not null) strict, without rowid;

-- Names that contain three letters, as differences of their ids, from `base` on.
create table gram (
  gram text not null,
  base integer not null,
  source integer not null,
  ids blob not null,
  primary key (gram, base)
) strict, without rowid;

create table salt (salt text not null) strict;
create table forgotten (hash text primary key) strict, without rowid;
