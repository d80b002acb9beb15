-- Alarms are told to data subscriptions, as commands and firmware are.
alter table domain_events drop constraint domain_events_kind_check;
alter table domain_events add constraint domain_events_kind_check check (kind in ('command', 'lifecycle', 'firmware', 'alarm'));

create function note_alarm() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare dev devices;
begin
  if not exists (select 1 from subscriptions s where s.tenant_id = new.tenant_id and 'alarm' = any (s.kinds)) then return null; end if;
  select * into dev from devices d where d.id = new.device_id;
  if found then
    perform note_domain_event(new.tenant_id, 'alarm', dev, jsonb_build_object(
      'change', case when tg_op = 'INSERT' then 'raised' when old.active and not new.active then 'cleared' else 'acknowledged' end,
      'alarmId', new.id, 'triggerId', new.trigger_id, 'trigger', new.trigger_name, 'level', new.level, 'active', new.active,
      'acknowledged', new.acknowledged_at is not null,
      'values', case when new.active then new.raise_values else new.clear_values end));
  end if;
  return null;
end $$;
revoke execute on function note_alarm() from public;
create trigger note_alarm_raised after insert on alarms for each row execute function note_alarm();
create trigger note_alarm_changed after update of active, acknowledged_at on alarms for each row
  when (old.active is distinct from new.active or (old.acknowledged_at is null and new.acknowledged_at is not null))
  execute function note_alarm();
