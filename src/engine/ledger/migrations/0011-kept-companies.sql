-- The company columns of the answer follow its body in the bundle. Made by another version, or
-- missing, they are made from the body.
alter table answer add column kept_length integer;
alter table answer add column kept_version integer;
