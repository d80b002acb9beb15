-- Sample frames of a product's format, with what must come of them: they are run whenever the format is saved.
alter table products
  add column format_samples jsonb not null default '[]';
