-- Geofences of a company: circles and polygons on the map that triggers hold positions of devices against.
create table geofences (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  -- {kind: circle, centre, radius} or {kind: polygon, points}; WGS 84, degrees and metres
  shape jsonb not null,
  colour text not null,
  enabled boolean not null default true,
  remark text not null default '',
  -- {deviceIds | productIds | groupIds | tags: [...]}; null: every device
  scope jsonb,
  created_by uuid default current_actor(),
  created_by_name text not null default '',
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);
create index geofences_list_idx on geofences (tenant_id, created_at desc, id desc);
alter table geofences enable row level security;
create policy tenant_own on geofences to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- A person with a part of the company sees the fences made there, and those that are for a device or group of the part.
create policy in_scope on geofences as restrictive for select to :app
  using ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select scope_user_ids())::uuid[])
    or scope -> 'groupIds' ?| (select scope_group_ids())::text[]
    or exists (select 1 from jsonb_array_elements_text(scope -> 'deviceIds') as named (id)
      join devices d on d.id = named.id::uuid));
create policy in_scope_made on geofences as restrictive for insert to :app
  with check ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select scope_user_ids())::uuid[]));
create policy in_scope_changed on geofences as restrictive for update to :app
  using ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select scope_user_ids())::uuid[]))
  with check ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select scope_user_ids())::uuid[]));
create policy in_scope_removed on geofences as restrictive for delete to :app
  using ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select scope_user_ids())::uuid[]));
create policy system_all on geofences to :system using (true) with check (true);
grant select, insert, update, delete on geofences to :app, :system;

-- Who is inside is judged anew by every trigger of the company.
create function mark_triggers_fence() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into trigger_marks (tenant_id)
  select coalesce(new.tenant_id, old.tenant_id)
  where exists (select 1 from triggers t where t.tenant_id = coalesce(new.tenant_id, old.tenant_id)
    and t.kind = 'general' and t.document::text like '%"geofence"%');
  return null;
end $$;
revoke execute on function mark_triggers_fence() from public;
create trigger mark_triggers_fence_set after insert or delete or update of shape, enabled, scope, name on geofences
  for each row execute function mark_triggers_fence();
