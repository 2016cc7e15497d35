-- A lookup of an older version is known by its slot: the name of a job has no `@`.
alter table run add column kind text not null default 'whole'
  check (kind = 'whole' or kind = 'trial' or kind = 'lookup');

update run set kind = iif(job glob 'lookup@*', 'lookup', 'trial')
where job glob 'lookup@*' or row_limit is not null;
