-- The company columns of the answer follow its body in the bundle. Made by another version, or
-- missing, they are made from the body.
alter table answer add column flat_length integer;
alter table answer add column flat_version integer;
