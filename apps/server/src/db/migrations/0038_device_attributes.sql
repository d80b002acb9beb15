-- What companies note of their devices under names of their own: [{name, value}] in their order.
alter table devices add column attributes jsonb not null default '[]' check (jsonb_typeof(attributes) = 'array');
