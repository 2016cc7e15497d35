-- JSON: what the register said about the row, or suggested for its name, when the list was read.
alter table row add column register text;

-- JSON: the sources of the register; null if the run used none.
alter table run add column register_sources text;
