-- Subscriptions can be narrowed to devices of end users: the journal's reader asks who stands above an owner.
grant select (id, path) on end_users to :telemetry;
create policy telemetry_read on end_users for select to :telemetry using (true);
