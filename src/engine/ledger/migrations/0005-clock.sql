-- A start at `at` found that the clock had shown `from_at` before. Answers up to `answer_id` with a
-- later date count from `at`.
create table clock_step (
  answer_id integer primary key,
  at integer not null,
  from_at integer not null,
  -- The last start since then.
  last_at integer not null
) strict;

-- The newest answer when the run finished. Times would be wrong after a change of the clock.
alter table run add column last_answer_id integer;
