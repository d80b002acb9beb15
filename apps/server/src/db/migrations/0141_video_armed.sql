-- Whether a camera reports what it sees move; null: its vendor did not say.
alter table video_channels add column armed boolean;
