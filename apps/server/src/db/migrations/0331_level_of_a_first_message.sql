-- A presence that was committed between the update and the look for missing rows was neither updated nor missing, and its
-- device kept level 0. The update is done once more now after the lock, for every device: presences are locked before the
-- rows of device_unseen, in the order in which the writer of presences locks them.
create or replace function refresh_alarm_levels(nums int[]) returns table (device int, level smallint)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  for turn in 1..2 loop
    return query
      with now_is as (
        select n.num, coalesce((select max(a.level) from alarms a where a.device = n.num and a.active and a.work <> 'ignored'
          and (a.shelved_until is null or a.shelved_until <= now())), 0)::smallint as level
        from unnest(nums) as n (num))
      update device_presence p set alarm_level = i.level from now_is i
      where p.device = i.num and p.alarm_level is distinct from i.level
      returning p.device, p.alarm_level;
    -- Waits for a presence that is being written. One that is written later reads the level itself (device_first_seen).
    if turn = 1 then
      perform 1 from device_unseen u where u.device = any (nums) order by u.device for update;
    end if;
  end loop;
end $$;
