-- The overview of the demo begins with a week of samples, and the past that its devices write is taken out of the counts
-- of the day on which it was written.
grant insert, update (messages) on device_stats to :system;
