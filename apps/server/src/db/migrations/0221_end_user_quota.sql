-- The devices of a line were counted for every end user of the installation before the line was looked for: with 26 of them
-- and 1,200 devices a new device took a quarter of a second. The quotas of the line come first; most lines have none.
create or replace function hold_end_user_quota() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  above record;
  used int;
begin
  perform pg_advisory_xact_lock(hashtextextended('end-users:' || new.tenant_id, 0));
  for above in
    select a.id, coalesce(nullif(l.display_name, ''), l.username) as name, coalesce(a.device_quota, p.device_quota) as most
    from end_users u join end_users a on a.id = any (u.path) join logins l on l.id = a.id left join user_packages p on p.id = a.package_id
    where u.id = new.owner_id and coalesce(a.device_quota, p.device_quota) is not null
    order by cardinality(a.path) desc
  loop
    select count(*)::int into used from devices d
    where d.tenant_id = new.tenant_id and d.recycled_at is null and d.id <> new.id
      and d.owner_id = any (array(select b.id from end_users b where b.path @> array[above.id]));
    if above.most <= used then
      raise exception 'end_user.quota_exceeded' using errcode = 'TW001',
        detail = json_build_object('name', above.name, 'limit', above.most, 'used', used, 'more', 1)::text;
    end if;
  end loop;
  return null;
end $$;
