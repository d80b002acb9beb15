-- Jobs learn what became of their notices once for each statement, and are taken in the order of their ids, as whoever
-- changes many of them takes them: two that change the same ones wait for each other in one direction only.
drop trigger ota_notice_changed on commands;
create or replace function ota_notice_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from now_commands where kind = 'firmware') then return null; end if;
  perform 1 from ota_jobs j
    where j.command_id in (
      select n.id from now_commands n join old_commands o using (id)
      where n.kind = 'firmware' and n.state is distinct from o.state)
    order by j.id for update;
  update ota_jobs j set command_state = n.state from now_commands n join old_commands o using (id)
    where j.command_id = n.id and n.kind = 'firmware' and n.state is distinct from o.state;
  return null;
end
$$;
create trigger ota_notice_changed after update on commands
  referencing old table as old_commands new table as now_commands
  for each statement execute function ota_notice_changed();
