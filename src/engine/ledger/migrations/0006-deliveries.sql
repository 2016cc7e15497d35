-- What each destination of a job has. A path keeps its {date} and {run}.
create table delivery (
  id integer primary key,
  job text not null,
  kind text not null,
  destination text not null,
  -- The last run that it received.
  run_id integer,
  -- The last run that was written, and why it was not received.
  due_run_id integer not null,
  reason text,
  message text,
  -- 0 for a destination that the last write of the job did not have.
  is_current integer not null check (is_current in (0, 1)),
  unique (job, destination)
) strict;
