-- How often a trigger was switched off. Its alarms are cleared each time, so the engine must begin it anew even when it is
-- switched on again before the engine looked.
alter table triggers add column switched_off integer not null default 0;

create function count_switched_off() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  new.switched_off := old.switched_off + 1;
  return new;
end $$;
revoke execute on function count_switched_off() from public;
create trigger counts_switched_off before update of enabled on triggers for each row
  when (old.enabled and not new.enabled) execute function count_switched_off();
