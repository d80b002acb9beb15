-- Alarms of cameras as their vendor lists them: until when an account was asked, and the picture that came with one.
alter table video_accounts add column alarms_at timestamptz;
alter table video_snapshots add column vendor_alarm text;
create unique index video_snapshots_vendor_alarm_idx on video_snapshots (channel_id, vendor_alarm) where vendor_alarm is not null;
