-- Share of companies with a value, in percent, that a user accepted. It grows if the field recovers.
create table accepted_fill (
  job text not null,
  field text not null,
  share real not null,
  primary key (job, field)
) strict, without rowid;
