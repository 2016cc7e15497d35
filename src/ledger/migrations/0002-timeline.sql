-- How calling went over time. Slices of a run are equally wide and begin at multiples of their width.
create table timeline (
  run_id integer not null,
  starts_at integer not null,
  width_ms integer not null,
  attempts integer not null,
  answered integer not null,
  failed integer not null,
  retried integer not null,
  throttled integer not null,
  throttled_ms real not null,
  -- How many attempts took how long, by the buckets of runtime/histogram.ts.
  latencies text not null,
  primary key (run_id, starts_at)
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
  -- When the first of the answers expires that the run has taken over from earlier ones.
  fresh_until integer
) strict;
