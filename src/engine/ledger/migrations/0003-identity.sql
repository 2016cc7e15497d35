-- Destinations order the runs of one ledger by number. A copy that goes on by itself gets a new id.
create table identity (
  only_row integer primary key check (only_row = 1),
  id text not null
) strict;

insert into identity (only_row, id) values (1, lower(hex(randomblob(16))));
