-- The doctor of a device names its cameras that show nothing.
create policy telemetry_read on video_channels for select to :telemetry using (true);
create policy telemetry_read on video_accounts for select to :telemetry using (true);
grant select (id, account_id, device_id, name, state) on video_channels to :telemetry;
grant select (id, name, state, fault) on video_accounts to :telemetry;
