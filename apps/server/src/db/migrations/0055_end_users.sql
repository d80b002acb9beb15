-- End users: customers of a company who run their own devices with its console (docs/adr/0050-end-users.md).

-- ───────────── logins ─────────────
-- Names, phones and mail addresses of end users are unique in their company only: the portal's host, or thingwrightAppId
-- at the sign-in, says which company is meant.
drop index logins_username_key;
create unique index logins_username_key on logins (lower(username)) where kind <> 'end_user';
create unique index logins_end_user_name_key on logins (tenant_id, lower(username)) where kind = 'end_user' and state <> 'left';
create index logins_end_user_name_idx on logins (lower(username)) where kind = 'end_user' and state <> 'left';
drop index logins_phone_key;
create unique index logins_phone_key on logins (phone) where phone is not null and kind <> 'end_user';
create unique index logins_end_user_phone_key on logins (tenant_id, phone) where phone is not null and kind = 'end_user';
drop index logins_email_key;
create unique index logins_email_key on logins (lower(email)) where email is not null and kind <> 'end_user';
create unique index logins_end_user_email_key on logins (tenant_id, lower(email)) where email is not null and kind = 'end_user';

-- Which company a host belongs to. Portals are made elsewhere; the sign-in reads them.
create table portal_hosts (
  host text primary key check (host = lower(host)),
  tenant_id uuid not null references tenants (id),
  created_at timestamptz not null default now()
);
create index portal_hosts_tenant_idx on portal_hosts (tenant_id);
alter table portal_hosts enable row level security;
create policy tenant_own on portal_hosts to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on portal_hosts to :system using (true) with check (true);
grant select, insert, update, delete on portal_hosts to :app, :system;

-- ───────────── packages, end users ─────────────
create table user_packages (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  description text not null default '',
  -- words of END_USER_RIGHTS
  rights text[] not null default '{}',
  -- addresses of the menu entries; null: all that the rights open
  menu_keys text[],
  -- of an end user who has none of his own; null: no limit
  device_quota int check (device_quota >= 0),
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index user_packages_name_key on user_packages (tenant_id, lower(name));
alter table user_packages enable row level security;
create policy tenant_own on user_packages to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on user_packages to :system using (true) with check (true);
grant select, insert, update, delete on user_packages to :app, :system;

create table end_users (
  id uuid primary key references logins (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  parent_id uuid references end_users (id),
  -- from the top to himself
  path uuid[] not null check (cardinality(path) between 1 and 5),
  package_id uuid references user_packages (id),
  -- his own instead of those of his package
  rights text[],
  device_quota int check (device_quota >= 0),
  expires_at timestamptz,
  company text not null default '',
  address text not null default '',
  remark text not null default '',
  logo_id uuid,
  group_id uuid references groups (id) on delete set null,
  created_by uuid default current_actor(),
  created_by_name text not null default '',
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);
create index end_users_list_idx on end_users (tenant_id, created_at desc, id desc);
create index end_users_parent_idx on end_users (parent_id) where parent_id is not null;
create index end_users_path_idx on end_users using gin (path);
create index end_users_package_idx on end_users (package_id) where package_id is not null;
create index end_users_group_idx on end_users (group_id) where group_id is not null;

-- ───────────── whose scope ─────────────
-- The end user of the transaction: he sees the devices of his own and of those below him.
create function scope_user() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.scope_user', true), '')::uuid $$;

create function scope_user_ids() returns uuid[] language sql stable parallel safe security definer set search_path = public, pg_temp as $$
  select coalesce(array_agg(e.id), '{}') from end_users e
  where e.tenant_id = current_tenant() and scope_user() is not null and e.path @> array[scope_user()]
$$;
revoke execute on function scope_user_ids() from public;
grant execute on function scope_user_ids() to :app;

alter table end_users enable row level security;
create policy tenant_own on end_users to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- By the path too: one who is made in this statement is not among the ids yet.
create policy in_scope on end_users as restrictive to :app
  using ((select scope_open())
    or path @> array[(select scope_user())]
    or group_id = any ((select scope_group_ids())::uuid[])
    or created_by = (select scope_owner()))
  with check ((select scope_open())
    or path @> array[(select scope_user())]
    or group_id = any ((select scope_group_ids())::uuid[])
    or created_by = (select scope_owner()));
create policy system_all on end_users to :system using (true) with check (true);
grant select, insert, update, delete on end_users to :app, :system;

-- Somebody without a login is invited: the link of his invitation sets the first password. Logins are written by the
-- sign-in alone, so these run as the owner, for the company of the transaction and for end users only.
create function add_end_user_login(login uuid, name text, display text, phone_number text, mail text, hash text, lang text)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if current_tenant() is null then raise exception 'no company' using errcode = '42501'; end if;
  insert into logins (id, tenant_id, kind, username, display_name, phone, email, password_hash, locale)
  values (login, current_tenant(), 'end_user', name, display, phone_number, mail, hash, lang);
end $$;
create function add_end_user_link(link uuid, login uuid, hash bytea, maker uuid, good_until timestamptz)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from logins l where l.id = login and l.tenant_id = current_tenant() and l.kind = 'end_user') then
    raise exception 'not an end user of this company' using errcode = '42501';
  end if;
  update password_links set used_at = now() where login_id = login and used_at is null;
  insert into password_links (id, tenant_id, login_id, token_hash, made_by, expires_at)
  values (link, current_tenant(), login, hash, maker, good_until);
end $$;
revoke execute on function add_end_user_login(uuid, text, text, text, text, text, text),
  add_end_user_link(uuid, uuid, bytea, uuid, timestamptz) from public;
grant execute on function add_end_user_login(uuid, text, text, text, text, text, text),
  add_end_user_link(uuid, uuid, bytea, uuid, timestamptz) to :app;

-- ───────────── whose device ─────────────
-- One column, so that a device has one owner at every moment; null: the company itself.
alter table devices
  add column owner_id uuid default scope_user() references end_users (id),
  -- its owner sees nothing from before
  add column history_from timestamptz;
create index devices_owner_idx on devices (tenant_id, owner_id) include (num, recycled_at) where owner_id is not null;

alter policy in_scope on devices
  using ((select scope_open())
    or group_id = any ((select scope_group_ids())::uuid[])
    or product_id = any ((select scope_product_ids())::uuid[])
    or created_by = (select scope_owner())
    or owner_id = any ((select scope_user_ids())::uuid[]))
  with check ((select scope_open())
    or group_id = any ((select scope_group_ids())::uuid[])
    or product_id = any ((select scope_product_ids())::uuid[])
    or created_by = (select scope_owner())
    or owner_id = any ((select scope_user_ids())::uuid[]));

create or replace function scope_seen_product_ids() returns uuid[] language sql stable parallel safe security definer set search_path = public, pg_temp as $$
  select scope_product_ids() || coalesce(array_agg(distinct product_id), '{}') from (
    select product_id from devices where tenant_id = current_tenant() and group_id = any (scope_group_ids())
    union all
    select product_id from devices where tenant_id = current_tenant() and created_by = scope_owner()
    union all
    select product_id from devices where tenant_id = current_tenant() and owner_id = any (scope_user_ids())) used
$$;

create or replace function scope_devices(tenant uuid, bound int) returns int4[] language plpgsql stable security definer
set search_path = public, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
declare
  in_groups constant uuid[] := scope_group_ids();
  in_products constant uuid[] := scope_product_ids();
  of_users constant uuid[] := scope_user_ids();
  owner constant uuid := scope_owner();
  found int4[];
begin
  if tenant is null or tenant is distinct from current_tenant() then
    raise exception 'scope outside the company of the transaction' using errcode = '42501';
  end if;
  found := array(
    (select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.group_id = any (in_groups) limit bound + 1)
    union
    (select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.product_id = any (in_products) limit bound + 1)
    union
    (select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.owner_id = any (of_users) limit bound + 1)
    union
    (select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.created_by = owner limit bound + 1));
  if cardinality(found) > bound then return null; end if;
  return found;
end $$;

create or replace function count_scope(tenant uuid, out total bigint, out online bigint, out offline bigint, out never bigint)
language plpgsql stable security definer
set search_path = public, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
declare
  in_groups constant uuid[] := scope_group_ids();
  in_products constant uuid[] := scope_product_ids();
  of_users constant uuid[] := scope_user_ids();
  owner constant uuid := scope_owner();
begin
  if tenant is null or tenant is distinct from current_tenant() then
    raise exception 'scope outside the company of the transaction' using errcode = '42501';
  end if;
  select count(*), count(*) filter (where p.link = 'online'), count(*) filter (where p.link = 'offline'), count(*) filter (where p.link is null)
  into total, online, offline, never
  from (
    select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.group_id = any (in_groups)
    union
    select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.product_id = any (in_products)
    union
    select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.owner_id = any (of_users)
    union
    select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.created_by = owner) mine
  left join device_presence p on p.device = mine.num and p.tenant_id = tenant;
end $$;

-- ───────────── what hangs on a device: nothing from before the hand-over ─────────────
alter policy in_scope on commands
  using ((select scope_open()) or exists (select 1 from devices d where d.id = device_id
    and ((select scope_user()) is null or d.history_from is null or created_at >= d.history_from)))
  with check ((select scope_open()) or exists (select 1 from devices d where d.id = device_id));

-- An end user sees his own triggers and those of the people below him.
alter policy in_scope on triggers
  using ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select scope_user_ids())::uuid[]))
  with check ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select scope_user_ids())::uuid[]));

alter policy in_scope on alarms
  using ((select scope_open())
    or case when device_id is null then exists (select 1 from triggers t where t.id = trigger_id)
       else exists (select 1 from devices d where d.id = device_id
         and ((select scope_user()) is null or d.history_from is null or raised_at >= d.history_from)) end);

-- ───────────── hand-overs ─────────────
create table device_handovers (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  device_id uuid not null references devices (id) on delete cascade,
  -- null: the company itself
  from_id uuid,
  from_name text not null default '',
  to_id uuid,
  to_name text not null default '',
  with_history boolean not null,
  with_triggers boolean not null,
  -- [{id, name}]: triggers that stopped because of it
  paused jsonb not null default '[]',
  by_id uuid default current_actor(),
  by_name text not null default '',
  at timestamptz not null default clock_timestamp()
);
create index device_handovers_device_idx on device_handovers (device_id, at desc, id desc);
create index device_handovers_from_idx on device_handovers (from_id, at desc, id desc) where from_id is not null;
create index device_handovers_to_idx on device_handovers (to_id, at desc, id desc) where to_id is not null;
alter table device_handovers enable row level security;
create policy tenant_own on device_handovers to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on device_handovers as restrictive to :app
  using ((select scope_open())
    or case when (select scope_user()) is null then exists (select 1 from devices d where d.id = device_id)
       else from_id = any ((select scope_user_ids())::uuid[]) or to_id = any ((select scope_user_ids())::uuid[]) end);
create policy system_all on device_handovers to :system using (true) with check (true);
grant select, insert on device_handovers to :app;
grant select, insert, delete on device_handovers to :system;

-- Who watches a device as its owner no longer does when it has another one.
create trigger mark_triggers_owner after update of owner_id on devices for each row
  when (old.owner_id is distinct from new.owner_id) execute function mark_triggers();

-- A device that an end user adds, or that comes back from the recycle bin, fits the quotas of him and of those above him.
-- Hand-overs count for themselves.
create function hold_end_user_quota() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  full_one record;
begin
  perform pg_advisory_xact_lock(hashtextextended('end-users:' || new.tenant_id, 0));
  select coalesce(nullif(l.display_name, ''), l.username) as name, coalesce(a.device_quota, p.device_quota) as most,
    (select count(*)::int from devices d where d.tenant_id = new.tenant_id and d.recycled_at is null and d.id <> new.id
      and d.owner_id in (select b.id from end_users b where b.path @> array[a.id])) as used
  into full_one
  from end_users u join end_users a on a.id = any (u.path) join logins l on l.id = a.id left join user_packages p on p.id = a.package_id
  where u.id = new.owner_id and coalesce(a.device_quota, p.device_quota) <= (select count(*) from devices d
    where d.tenant_id = new.tenant_id and d.recycled_at is null and d.id <> new.id
      and d.owner_id in (select b.id from end_users b where b.path @> array[a.id]))
  order by cardinality(a.path) desc limit 1;
  if found then
    raise exception 'end_user.quota_exceeded' using errcode = 'TW001',
      detail = json_build_object('name', full_one.name, 'limit', full_one.most, 'used', full_one.used, 'more', 1)::text;
  end if;
  return null;
end $$;
revoke execute on function hold_end_user_quota() from public;
create trigger hold_quota_made after insert on devices for each row when (new.owner_id is not null and new.recycled_at is null)
  execute function hold_end_user_quota();
create trigger hold_quota_restored after update of recycled_at on devices for each row
  when (old.recycled_at is not null and new.recycled_at is null and new.owner_id is not null)
  execute function hold_end_user_quota();
