-- A device's first message may raise an alarm while its presence is being written, in another transaction: each of the two
-- did not see what the other had not committed, and the device kept level 0. The row of device_unseen, which is there until
-- the presence is, is what both now take turns at.
drop trigger first_alarm_level on device_presence;
drop function first_alarm_level();

create or replace function refresh_alarm_levels(nums int[]) returns table (device int, level smallint)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  missing int[];
begin
  return query
    with now_is as (
      select n.num, coalesce((select max(a.level) from alarms a where a.device = n.num and a.active and a.work <> 'ignored'
        and (a.shelved_until is null or a.shelved_until <= now())), 0)::smallint as level
      from unnest(nums) as n (num))
    update device_presence p set alarm_level = i.level from now_is i
    where p.device = i.num and p.alarm_level is distinct from i.level
    returning p.device, p.alarm_level;
  missing := array(select n.num from unnest(nums) as n (num)
    where not exists (select 1 from device_presence p where p.device = n.num));
  if cardinality(missing) = 0 then
    return;
  end if;
  -- Waits for a presence that is being written. One that is written later reads the level itself (device_first_seen).
  perform 1 from device_unseen u where u.device = any (missing) order by u.device for update;
  return query
    with now_is as (
      select n.num, coalesce((select max(a.level) from alarms a where a.device = n.num and a.active and a.work <> 'ignored'
        and (a.shelved_until is null or a.shelved_until <= now())), 0)::smallint as level
      from unnest(missing) as n (num))
    update device_presence p set alarm_level = i.level from now_is i
    where p.device = i.num and p.alarm_level is distinct from i.level
    returning p.device, p.alarm_level;
end $$;

create or replace function device_first_seen() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Waits for a transaction that raises an alarm of this device; the next statement sees what it committed.
  delete from device_unseen where device = new.device;
  update device_presence p set created_at = d.created_at, product_num = d.product_num,
    alarm_level = coalesce((select max(a.level) from alarms a where a.device = new.device and a.active
      and a.work <> 'ignored' and (a.shelved_until is null or a.shelved_until <= now())), 0)
  from devices d where p.device = new.device and d.num = new.device;
  return null;
end $$;
