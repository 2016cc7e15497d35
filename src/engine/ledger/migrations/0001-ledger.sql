-- Checks use `or`, because `in` builds a table of its list for each row.

create table run (
  id integer primary key,
  job text not null,
  job_fingerprint text not null,
  verdict_terms text not null,
  input_stamp text,
  input_name text not null,
  input_path text not null,
  input_sha256 text,
  list text not null,
  list_id integer not null,
  row_limit integer,
  service text not null,
  columns text not null,
  key_columns text,
  corrections text,
  has_people integer not null check (has_people in (0, 1)),
  state text not null check (state in ('ingesting', 'open', 'finished', 'superseded')),
  started_at integer not null,
  -- The age of answers counts from here, and {date} is its day.
  last_started_at integer not null,
  finished_at integer,
  held text,
  accepted_at integer,
  pruned_at integer,
  -- A process that finds another token here stops.
  owner text
) strict;

create index run_by_job on run (job, id);

create table call (
  id integer primary key,
  key blob not null unique,
  request text not null,
  -- Older answers stay, because older runs point at them.
  answer_id integer,
  -- Rows keep this company until another lookup proves the first miss.
  unproven_id integer,
  -- Failed since its last answer. Another failure says little about the service.
  has_failed integer not null default 0 check (has_failed in (0, 1))
) strict;

create index unproven_call on call (id) where unproven_id is not null;

-- Only for these services is an empty 404 a miss.
create table proven_service (
  key blob primary key
) strict, without rowid;

-- Compressed together, bodies take a third of the space and a fifth of the time.
create table bundle (
  id integer primary key,
  encoding text not null check (encoding in ('plain', 'zstd')),
  plain_length integer not null,
  bytes blob not null
) strict;

create table answer (
  id integer primary key,
  call_id integer not null,
  outcome text not null check (
    outcome = 'hit' or outcome = 'miss' or outcome = 'invalid' or outcome = 'oversized'
    or outcome = 'failed'
  ),
  status integer,
  message text,
  company_id text,
  match text check (
    match = 'exact' or match = 'alias' or match = 'mismatch' or match = 'unverified'
  ),
  attempts integer not null,
  duration_ms real not null,
  fetched_at integer not null,
  bundle_id integer,
  body_start integer,
  body_length integer,
  checksum integer,
  -- Shows whether a company has vanished.
  replaced_id integer,
  alias_keys blob
) strict;

create table alias (
  key blob not null,
  answer_id integer not null,
  primary key (key, answer_id)
) strict, without rowid;

-- Later answers are not in `alias` yet: adding many keys in order is faster.
create table alias_progress (
  only_row integer primary key check (only_row = 1),
  answer_id integer not null
) strict;

insert into alias_progress (only_row, answer_id) values (1, 0);

-- One row per run, because every commit changes it.
create table lease (
  run_id integer primary key,
  call_ids text not null
) strict;

-- Leased by a process that died before the answer was stored, so it may have been charged.
create table doubtful_call (
  run_id integer not null,
  call_id integer not null,
  primary key (run_id, call_id)
) strict, without rowid;

create table completed_call (
  run_id integer not null,
  call_id integer not null,
  answer_id integer not null,
  source text not null check (
    source = 'called' or source = 'reused' or source = 'joined'
  ),
  search_id integer,
  page integer,
  primary key (run_id, call_id)
) strict, without rowid;

create index completed_call_of_search on completed_call (search_id, page) where search_id is not null;

-- Runs over an unchanged list share one version.
create table list (
  id integer primary key,
  -- Null while the list is read.
  digest blob unique
) strict;

-- Differences between row ids, compressed.
create table list_block (
  list_id integer not null,
  first_number integer not null,
  row_count integer not null,
  row_ids blob not null,
  primary key (list_id, first_number)
) strict, without rowid;

create table row (
  id integer primary key,
  hash blob not null unique,
  key text not null,
  cells text not null,
  country text,
  candidates text not null,
  -- CRC-32 of key, cells, country and candidates. The hash is too slow for each row shown.
  checksum integer not null
) strict;

-- A call is open while a row or a people search waits for it.
create table waiting (
  run_id integer not null,
  call_id integer not null,
  -- 0 for a search.
  row_id integer not null,
  place integer not null,
  search_id integer,
  primary key (run_id, call_id, row_id)
) strict, without rowid;

-- A run that leaves an outcome unchanged adds none.
create table outcome (
  row_id integer not null,
  run_id integer not null,
  status text not null,
  reason text,
  message text,
  answer_id integer,
  match text,
  call_id integer,
  place integer,
  is_stale integer not null default 0,
  changed_run integer,
  -- CRC-32 of the other columns: a changed number would show another company.
  checksum integer not null,
  primary key (row_id, run_id)
) strict, without rowid;

create index outcome_of_run on outcome (run_id);

-- A run whose pages are still fresh adds none. Empty text: filter not set.
create table search (
  id integer primary key,
  run_id integer not null,
  company_id text not null,
  country text not null,
  seniority text not null,
  department text not null,
  position text not null,
  received integer not null default 0,
  total integer,
  state text not null default 'open' check (state in ('open', 'ended', 'failed')),
  is_complete integer check (is_complete in (0, 1)),
  -- JSON: the run that last changed each person, if earlier.
  changed_runs text,
  unique (company_id, country, run_id, seniority, department, position)
) strict;

create index search_of_run on search (run_id);

create table found (
  search_id integer not null,
  person_id text not null,
  primary key (search_id, person_id)
) strict, without rowid;

-- For the report of a run with the same result.
create table tally (
  job text primary key,
  run_id integer not null,
  bytes blob not null
) strict, without rowid;

-- Written with every change, because counting would read all rows.
create table progress (
  run_id integer primary key,
  counts text not null,
  fresh_until integer
) strict;

-- Quarter-hours fit every time zone.
create table spend (
  quarter_at integer not null,
  account blob not null,
  job text not null,
  run_id integer not null,
  operation text not null check (operation = 'company' or operation = 'people'),
  currency text not null,
  -- Charged, or may still be.
  requests integer not null default 0,
  -- Throttled, refused or redirected.
  free integer not null default 0,
  hits integer not null default 0,
  misses integer not null default 0,
  rejected integer not null default 0,
  -- `charged` is the certain part of `micros`.
  micros integer not null default 0,
  charged integer not null default 0,
  primary key (quarter_at, account, job, run_id, operation, currency)
) strict, without rowid;

create index spend_of_run on spend (run_id) where run_id > 0;

-- The newest 200 per job.
create table start (
  id integer primary key,
  job text not null,
  run_id integer,
  host text not null,
  pid integer not null,
  started_by text not null,
  version text not null,
  started_at integer not null,
  -- Null while running, or if the process was killed.
  ended_at integer,
  exit_code integer,
  reason text,
  calls_before integer,
  dead_starts integer not null default 0
) strict;

create index start_by_job on start (job, id);

create table retention (
  job text primary key,
  keep_runs integer not null,
  use_ms integer,
  erased_at integer
) strict, without rowid;

create table snapshot (
  id integer primary key check (id = 1),
  token text,
  pending_token text
) strict;

-- No run fetches these identifiers again. A merge adds those of the other ledger with its salt.
create table forgotten (
  salt text not null,
  -- The identifier the user named; `hash` also covers the others of its company.
  given blob not null,
  hash blob not null,
  primary key (salt, given, hash)
) strict, without rowid;

-- The next command finishes a killed one.
create table forgetting (
  only_row integer primary key check (only_row = 1),
  intent text not null
) strict;

-- No identifiers and no cells, so nothing here has to be forgotten.
create table audit (
  id integer primary key,
  at integer not null,
  user text not null,
  host text not null,
  command text not null,
  job text not null,
  counts text not null,
  exit_code integer not null
) strict;

create trigger audit_stays before delete on audit begin
  select raise(abort, 'the audit is only added to');
end;

create trigger audit_stays_as_it_was before update on audit begin
  select raise(abort, 'the audit is only added to');
end;

-- `insert or replace` fires no delete trigger.
create trigger audit_grows before insert on audit
when exists (select 1 from audit where id = new.id) begin
  select raise(abort, 'the audit is only added to');
end;
