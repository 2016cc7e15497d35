-- As which snapshot the ledger was last stored or restored; one line, for a ledger that has a place for snapshots.
create table snapshot (
  id integer primary key check (id = 1),
  -- The same for all copies that go back to one beginning.
  lineage text not null,
  -- Counts the snapshots; 0 before the first.
  generation integer not null,
  -- Names this very snapshot: two of the same generation have diverged.
  token text not null,
  -- Greatest id of an answer in it: what came later is in no snapshot.
  last_answer_id integer not null,
  stored_at integer,
  -- The place that it was last stored at or restored from; generations of two places cannot be compared.
  place text,
  -- Greatest id of an answer of a copy that was stored aside, as another ledger counts.
  aside_answer_id integer not null default 0,
  -- Token and last answer of a snapshot that is on its way: its process may die before it knows that the store has taken it.
  pending_token text,
  pending_answer_id integer,
  pending_at integer
) strict;
