-- Requests that may be charged, by the quarter of an hour in which they were reserved: a day or month of
-- any time zone is made of quarters. Written in the commits that lease calls and store their answers.
create table spend (
  quarter_at integer not null,
  -- A part of the hash of the service and its key.
  account blob not null,
  job text not null,
  -- 0 for lookups, of which there may be thousands.
  run_id integer not null,
  operation text not null check (operation = 'company' or operation = 'people'),
  -- '' where the job tells no price.
  currency text not null,
  -- Reserved and not given back: these were charged, or may yet be.
  requests integer not null default 0,
  -- Reserved and given back: they did not leave, or are not charged.
  refunded integer not null default 0,
  hits integer not null default 0,
  misses integer not null default 0,
  failed integer not null default 0,
  -- Millionths of the currency, at the price of the time.
  micros integer not null default 0,
  primary key (quarter_at, account, job, run_id, operation, currency)
) strict, without rowid;

create index spend_of_run on spend (run_id) where run_id > 0;
