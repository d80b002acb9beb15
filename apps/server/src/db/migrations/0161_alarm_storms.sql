-- Alarms that one trigger raised in a storm belong to the first of them; `merged` of that one counts them.
alter table alarms add column storm_id uuid;
create index alarms_storm_idx on alarms (storm_id, raised_at desc, id desc) where storm_id is not null;
