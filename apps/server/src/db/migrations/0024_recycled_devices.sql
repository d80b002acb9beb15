-- A device in the recycle bin is reached by nothing: what waits for it is taken back with it, whichever way it got there,
-- so that a device restored months later does not do what a batch wanted then.
create function commands_of_recycled() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update commands set state = 'cancelled', finished_at = now(), error_code = 'device_recycled'
    where device = new.num and state = 'queued';
  return null;
end
$$;
create trigger commands_of_recycled after update of lifecycle on devices for each row
  when (new.lifecycle = 'recycled' and old.lifecycle is distinct from 'recycled') execute function commands_of_recycled();

-- What waits for devices that were put there before.
update commands c set state = 'cancelled', finished_at = now(), error_code = 'device_recycled'
  from devices d where d.num = c.device and d.lifecycle = 'recycled' and c.state = 'queued';
