-- Where a device is, as numbers: the map reads the places of a whole fleet in one scan, and reading them out of JSON took
-- most of its time.
alter table devices
  add column place_lng float8 generated always as (
    case when jsonb_typeof(location -> 'lng') = 'number' and jsonb_typeof(location -> 'lat') = 'number'
      then (location -> 'lng')::float8 end) stored,
  add column place_lat float8 generated always as (
    case when jsonb_typeof(location -> 'lng') = 'number' and jsonb_typeof(location -> 'lat') = 'number'
      then (location -> 'lat')::float8 end) stored;
