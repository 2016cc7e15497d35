-- The call missed, but its row may not ask the next service yet.
alter table waiting add column has_missed integer not null default 0
  check (has_missed = 0 or has_missed = 1);

-- JSON list of all services, in the order in which they are asked. Null for one.
alter table run add column services text;

-- The name in the newest run that asked several services.
alter table service add column name text;

-- The id of a company means something only at its service. An upgrade fills it in.
create table search_by_service (
  id integer primary key,
  run_id integer not null,
  company_id text not null,
  country text not null,
  seniority text not null,
  department text not null,
  position text not null,
  received integer not null default 0,
  total integer,
  state text not null default 'open' check (state in ('open', 'ended', 'failed')),
  is_complete integer check (is_complete in (0, 1)),
  -- JSON: the run that last changed each person, if earlier.
  changed_runs text,
  service_id integer,
  unique (company_id, country, run_id, seniority, department, position, service_id)
) strict;

insert into search_by_service
select id, run_id, company_id, country, seniority, department, position, received, total, state,
  is_complete, changed_runs, null
from search;

drop table search;

alter table search_by_service rename to search;

create index search_of_run on search (run_id);
