-- The memory of triggers as gzip of its JSON: megabytes every ten seconds are a tenth of that on the way to the table, in
-- the log and in the table. `snapshot` holds what an earlier version kept, until the first write.
alter table trigger_engine add column packed bytea;
alter table trigger_engine alter column packed set storage external;
