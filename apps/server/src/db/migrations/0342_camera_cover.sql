-- The newest picture of a camera, which its row in the list shows. Alarms that came without a picture are no pictures.
create index video_snapshots_cover_idx on video_snapshots (channel_id, at desc, id desc) where object_key <> '';
