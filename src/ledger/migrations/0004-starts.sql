-- Each start of a job that held it: which machine, how it ended. The newest 200 of a job are kept.
create table start (
  id integer primary key,
  job text not null,
  -- Null until the list of a run is read, or a run is taken up.
  run_id integer,
  host text not null,
  pid integer not null,
  -- page, terminal or script: how its command was given.
  started_by text not null,
  version text not null,
  started_at integer not null,
  -- Null while it goes on, and for ever where its process was killed.
  ended_at integer,
  exit_code integer,
  -- Code of the error that ended it.
  reason text,
  -- Calls that its run had made before it; null where it made none itself.
  calls_before integer,
  -- Starts in a row before it that died with calls in flight and stored no answer.
  dead_starts integer not null default 0
) strict;

create index start_by_job on start (job, id);
