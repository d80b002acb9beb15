-- Lists of devices with an open alarm read these alone.
create index device_presence_alarm_idx on device_presence (tenant_id, alarm_level) where alarm_level > 0;
