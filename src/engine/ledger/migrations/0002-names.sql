alter table doubtful_call rename to possibly_charged_call;

alter table outcome rename column place to candidate_index;

-- The index of a row's candidate, or the page of a search.
alter table waiting rename column place to candidate_or_page;
