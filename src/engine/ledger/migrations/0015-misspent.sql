-- The part of `charged` for misses. Until now, free misses were not counted.
alter table spend add column misspent integer not null default 0;
-- Answers that cost nothing, which no budget counts.
alter table spend add column unpaid integer not null default 0;
update spend set misspent = charged * misses / (hits + misses + rejected) where misses > 0;
