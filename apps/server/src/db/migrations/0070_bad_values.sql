-- What becomes of the good values of a message in which another one cannot be taken.
alter table products
  add column bad_values text not null default 'drop' check (bad_values in ('drop', 'refuse'));
