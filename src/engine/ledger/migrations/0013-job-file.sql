-- The file that a job belongs to, in a ledger with jobs of many folders.
create table job_file (
  job text primary key,
  path text not null
) strict, without rowid;
