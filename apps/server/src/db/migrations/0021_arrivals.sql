-- How far the times that were given to a device's messages run ahead of the clock: written in the flush that holds the
-- messages, read once by whoever takes over the lane, so that no time is given twice (docs/adr/0057-arrivals.md). Only
-- devices that are ahead stand here.
create table latest_arrivals (
  device int primary key,
  lane smallint not null,
  -- epoch ms; nothing beyond it was given
  until bigint not null
);
grant select, insert, update, delete on latest_arrivals to :telemetry;
