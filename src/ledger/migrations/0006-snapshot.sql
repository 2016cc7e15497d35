-- Object storage keeps copies of the ledger under names of their own; one line, once one is on its way.
create table snapshot (
  id integer primary key check (id = 1),
  -- Address of the copy that the ledger was last stored as or restored from.
  token text,
  -- Address of a copy being stored: its process may die before it knows that the store has it.
  pending_token text
) strict;
