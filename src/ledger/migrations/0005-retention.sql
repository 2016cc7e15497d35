-- What a job has asked to be kept, noted when a run of it finishes.
create table retention (
  job text primary key,
  keep_runs integer not null,
  -- How old an answer may be that the job still uses; null where age does not matter.
  use_ms integer
) strict, without rowid;
