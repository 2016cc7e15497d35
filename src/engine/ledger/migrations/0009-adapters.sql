-- JSON. Answers are read by it, even if the file of the adapter is gone.
alter table service add column definition text;

-- Hash of the rules by which its answers were judged.
alter table service add column judged_by text;
