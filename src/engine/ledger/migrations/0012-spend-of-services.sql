-- To which the newest run that asked the described service counts its requests.
alter table service add column account blob;

create index service_by_account on service (account) where account is not null;
