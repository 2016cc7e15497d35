-- One execution of a job over one snapshot of its input.
create table run (
  id integer primary key,
  job text not null,
  job_fingerprint text not null,
  -- Path, size and time of the input, to see cheaply whether it has changed; null for a pipe.
  input_stamp text,
  input_name text not null,
  input_sha256 text,
  columns text not null,
  has_people integer not null check (has_people in (0, 1)),
  state text not null check (state in ('ingesting', 'open', 'finished', 'superseded')),
  started_at integer not null,
  finished_at integer
) strict;

create index run_by_job on run (job, id);

-- A question to the service, keyed by content and shared by all rows, runs and jobs that ask it.
create table call (
  id integer primary key,
  key blob not null unique,
  request text not null,
  -- The newest answer. Older ones stay, because older runs point at them.
  answer_id integer
) strict;

create table answer (
  id integer primary key,
  call_id integer not null,
  outcome text not null check (outcome in ('hit', 'miss', 'invalid', 'failed')),
  status integer,
  message text,
  company_id text,
  match text check (match in ('exact', 'alias', 'mismatch', 'unverified')),
  attempts integer not null,
  duration_ms real not null,
  fetched_at integer not null,
  encoding text check (encoding in ('plain', 'zstd')),
  body blob,
  checksum integer
) strict;

-- A company's own identifiers, each written as the call that would ask for it.
create table alias (
  key blob primary key,
  answer_id integer not null
) strict, without rowid;

-- What one run wants to know, and how it came to know it.
create table task (
  run_id integer not null,
  call_id integer not null,
  state text not null check (state in ('open', 'sent', 'settled')),
  answer_id integer,
  source text check (source in ('called', 'reused', 'joined')),
  -- Sent by a process that died before the answer was stored: it may have been charged.
  is_doubtful integer not null default 0 check (is_doubtful in (0, 1)),
  search_id integer,
  page integer,
  primary key (run_id, call_id)
) strict, without rowid;

create index task_open on task (run_id, call_id) where state = 'open';
create index task_sent on task (call_id, run_id) where state = 'sent';
create index task_of_search on task (search_id, page) where search_id is not null;

create table row (
  run_id integer not null,
  number integer not null,
  line integer not null,
  cells text not null,
  country text,
  -- What to ask for, best first: [[kind, value], …]. The next is for a miss of the one before.
  candidates text not null,
  candidate_count integer not null,
  place integer not null default 0,
  call_id integer,
  status text check (status in ('matched', 'not_found', 'invalid', 'failed')),
  reason text,
  message text,
  answer_id integer,
  company_id text,
  match text check (match in ('exact', 'alias', 'mismatch', 'unverified')),
  primary key (run_id, number)
) strict, without rowid;

create index row_waiting on row (run_id, call_id) where status is null;
create index row_of_company on row (run_id, company_id, country) where company_id is not null;

-- One people search of a company; '' stands for a filter that is not set.
create table search (
  id integer primary key,
  run_id integer not null,
  company_id text not null,
  country text not null,
  seniority text not null,
  department text not null,
  position text not null,
  received integer not null default 0,
  -- The longest page so far: a shorter one is the last.
  longest_page integer not null default 0,
  state text not null default 'open' check (state in ('open', 'ended', 'failed')),
  ended_by text check (
    ended_by in (
      'empty_page', 'short_page', 'no_new_person', 'total', 'max_per_company', 'not_found', 'failed'
    )
  ),
  unique (run_id, company_id, country, seniority, department, position)
) strict;

-- Who a search has found so far, so that a page without anybody new ends it.
create table found (
  search_id integer not null,
  person_id text not null,
  primary key (search_id, person_id)
) strict, without rowid;
