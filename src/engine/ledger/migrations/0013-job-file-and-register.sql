-- The file that a job belongs to, in a ledger with jobs of many folders.
create table job_file (
  job text primary key,
  path text not null
) strict, without rowid;

-- JSON: what the register said about the row, or suggested for its name, when the list was read.
alter table row add column register text;

-- JSON: the sources of the register; null if the run used none.
alter table run add column register_sources text;
