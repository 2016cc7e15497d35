-- A request is sent for a call, and "unproven" says something else of an answer.
alter table call rename column request to text;
alter table call rename column unproven_id to kept_answer_id;
