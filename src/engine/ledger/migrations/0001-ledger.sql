-- What is checked for each answer or row is written with `or`: `in` builds a table of its list each time.

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
  -- The last start of the run: the age of answers counts from here, and {date} is its day.
  last_started_at integer not null,
  finished_at integer,
  held text,
  accepted_at integer,
  pruned_at integer,
  -- Token of the process that has taken the run. A process that finds another token here stops.
  owner text
) strict;

create index run_by_job on run (job, id);

-- A question to the service, keyed by content and shared by all rows, runs and jobs that ask it.
create table call (
  id integer primary key,
  key blob not null unique,
  request text not null,
  -- The newest answer. Older ones stay, because older runs point at them.
  answer_id integer,
  -- The company that rows keep while the newest answer is a first miss, which the next lookup has to prove.
  unproven_id integer,
  -- The call has failed since its last answer. Failing again, it says little about the service.
  has_failed integer not null default 0 check (has_failed in (0, 1))
) strict;

create index unproven_call on call (id) where unproven_id is not null;

-- A service that has given a hit. An empty 404 is a miss of such a service, and of no other.
create table proven_service (
  key blob primary key
) strict, without rowid;

-- Bodies that were stored together: compressed as one they take a third of the room and a fifth of the time.
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
  -- The answer that stood for the call before: tells whether a company has vanished.
  replaced_id integer,
  alias_keys blob
) strict;

-- Several answers may have one key: newer ones of a company, or those of another one with its identifier.
create table alias (
  key blob not null,
  answer_id integer not null,
  primary key (key, answer_id)
) strict, without rowid;

-- Keys of answers after this one are not in the table yet: many at a time, in their order, are faster.
create table alias_progress (
  only_row integer primary key check (only_row = 1),
  answer_id integer not null
) strict;

insert into alias_progress (only_row, answer_id) values (1, 0);

-- Calls that a run may have sent and may be charged for. One line for all: every commit of a run changes them.
create table lease (
  run_id integer primary key,
  call_ids text not null
) strict;

-- A call that was leased by a process which died before the answer was stored: it may have been charged.
create table doubtful_call (
  run_id integer not null,
  call_id integer not null,
  primary key (run_id, call_id)
) strict, without rowid;

-- A call that a run has the answer to, and how it came by it.
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

-- One version of a list: which rows, and in which order. Runs over an unchanged list have the same.
create table list (
  id integer primary key,
  -- Hash of its rows in their order; null while it is read.
  digest blob unique
) strict;

-- The ids of rows of a list, in their order: each as its difference to the one before, compressed.
create table list_block (
  list_id integer not null,
  first_number integer not null,
  row_count integer not null,
  row_ids blob not null,
  primary key (list_id, first_number)
) strict, without rowid;

create table row (
  id integer primary key,
  -- Hash of the job and of all that the row holds.
  hash blob not null unique,
  key text not null,
  cells text not null,
  country text,
  candidates text not null,
  -- CRC-32 of key, cells, country and candidates: the hash takes too long to be made for each row shown.
  checksum integer not null
) strict;

-- A call is open as long as a row or a people search waits for it.
create table waiting (
  run_id integer not null,
  call_id integer not null,
  -- 0 for a search.
  row_id integer not null,
  place integer not null,
  search_id integer,
  primary key (run_id, call_id, row_id)
) strict, without rowid;

-- The outcome of a row in a run is its last one up to that run: a run in which it still stands adds none.
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

-- As with outcomes, a run whose pages are still fresh adds none. An empty text is a filter that is not set.
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
  -- Run in which the record of each person last became different, where that is an earlier one, as JSON.
  changed_runs text,
  unique (company_id, country, run_id, seniority, department, position)
) strict;

create index search_of_run on search (run_id);

create table found (
  search_id integer not null,
  person_id text not null,
  primary key (search_id, person_id)
) strict, without rowid;

-- What the last export of a job has counted of all records, compressed, for the report of a run that finds
-- the same.
create table tally (
  job text primary key,
  run_id integer not null,
  bytes blob not null
) strict, without rowid;

-- Where a run stands, written with every change of it. Counting anew would read all its rows.
create table progress (
  run_id integer primary key,
  counts text not null,
  fresh_until integer
) strict;

-- By the quarter of an hour in which requests were reserved: a day of any time zone is made of quarters.
create table spend (
  quarter_at integer not null,
  account blob not null,
  job text not null,
  run_id integer not null,
  operation text not null check (operation = 'company' or operation = 'people'),
  currency text not null,
  -- Reserved and not given back: these were charged, or may yet be.
  requests integer not null default 0,
  -- Sent, and not charged: throttled, refused, redirected.
  free integer not null default 0,
  hits integer not null default 0,
  misses integer not null default 0,
  rejected integer not null default 0,
  -- The price of the requests, and the part of it that answers have made certain.
  micros integer not null default 0,
  charged integer not null default 0,
  primary key (quarter_at, account, job, run_id, operation, currency)
) strict, without rowid;

create index spend_of_run on spend (run_id) where run_id > 0;

-- The newest 200 starts of each job.
create table start (
  id integer primary key,
  job text not null,
  run_id integer,
  host text not null,
  pid integer not null,
  started_by text not null,
  version text not null,
  started_at integer not null,
  -- Null while it goes on, and for ever where its process was killed.
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
  -- When answers beyond `retain` were last erased.
  erased_at integer
) strict, without rowid;

-- Object storage keeps copies of the ledger under names of their own; one line, once one is on its way.
create table snapshot (
  id integer primary key check (id = 1),
  token text,
  pending_token text
) strict;

-- Hashes of identifiers that were forgotten, so that no run fetches them again. Each ledger has a salt of its own;
-- a merge brings those of the other with its salt.
create table forgotten (
  salt text not null,
  -- The identifier that was given. It brings the others of its company along, and takes them back.
  given blob not null,
  hash blob not null,
  primary key (salt, given, hash)
) strict, without rowid;

-- What is being forgotten: a command that was killed goes on with it.
create table forgetting (
  only_row integer primary key check (only_row = 1),
  intent text not null
) strict;

-- Who did what with the ledger. No identifiers and no cells: nothing here has to be forgotten.
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

-- `insert or replace` fires no trigger of a deletion.
create trigger audit_grows before insert on audit
when exists (select 1 from audit where id = new.id) begin
  select raise(abort, 'the audit is only added to');
end;
