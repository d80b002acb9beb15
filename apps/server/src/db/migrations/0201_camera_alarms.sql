-- Pictures that cameras took for an alarm.
alter table video_snapshots add column alarm_id uuid references alarms (id) on delete set null;
create index video_snapshots_alarm_idx on video_snapshots (alarm_id, at) where alarm_id is not null;
