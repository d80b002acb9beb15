-- Data scope: what of his company's products and devices a caller may see (docs/adr/0022-data-scope.md).
-- database.withTenant sets, for a caller with a limited scope only:
--   app.scope = 'limited', app.scope_groups and app.scope_products = chosen roots as array literals, app.scope_own = 'true'
-- and for every signed-in caller app.actor_id. Work of the system, and callers who may see all, leave app.scope empty.

create function current_actor() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.actor_id', true), '')::uuid $$;

create function scope_open() returns boolean language sql stable parallel safe
  as $$ select coalesce(current_setting('app.scope', true), '') = '' $$;

-- the caller himself where what he created belongs to his scope, else null, which equals nothing
create function scope_owner() returns uuid language sql stable parallel safe
  as $$ select case when current_setting('app.scope_own', true) = 'true' then current_actor() end $$;

-- ───────────── roles, members ─────────────
alter table roles
  add column description text not null default '',
  -- {"kind": "all" | "own_groups" | "own"} | {"kind": "groups", "groupIds": [...]} | {"kind": "products", "productIds": [...]}
  add column data_scope jsonb not null default '{"kind":"all"}';
create unique index roles_name_key on roles (tenant_id, name) where not builtin;
create index login_roles_role_idx on login_roles (role_id);

-- where a member stands in the company: the root of the scope "own group and below"
alter table logins add column group_id uuid references groups (id) on delete set null;
create index logins_group_idx on logins (group_id) where group_id is not null;

-- ───────────── who made what ─────────────
alter table products add column created_by uuid default current_actor();
alter table devices add column created_by uuid default current_actor();
create index products_created_by_idx on products (created_by) where created_by is not null;
create index devices_created_by_idx on devices (tenant_id, created_by) include (num, recycled_at) where created_by is not null;

-- The functions below run as the owner: a policy that read its own table would never end, and what they return are ids
-- of the transaction's company only. Every one is called in a sub-select, that is once a query, and not at all for a
-- caller whose scope is open.

create function scope_group_ids() returns uuid[] language sql stable parallel safe security definer set search_path = public, pg_temp as $$
  with recursive below as (
    select g.id from groups g
    where g.id = any (nullif(current_setting('app.scope_groups', true), '')::uuid[]) and g.tenant_id = current_tenant()
    union
    select g.id from groups g join below b on g.parent_id = b.id where g.tenant_id = current_tenant())
  select coalesce(array_agg(id), '{}') from below
$$;

-- products that belong to the scope: they may be changed, and their devices belong to it too
create function scope_product_ids() returns uuid[] language sql stable parallel safe security definer set search_path = public, pg_temp as $$
  select coalesce(array_agg(p.id), '{}') from products p
  where p.tenant_id = current_tenant() and (
    p.id = any (nullif(current_setting('app.scope_products', true), '')::uuid[])
    or p.group_id = any (scope_group_ids()))
$$;

-- products that may be seen: also those of the devices of the scope, which are not understood without them
create function scope_seen_product_ids() returns uuid[] language sql stable parallel safe security definer set search_path = public, pg_temp as $$
  select scope_product_ids() || coalesce(array_agg(distinct product_id), '{}') from (
    select product_id from devices where tenant_id = current_tenant() and group_id = any (scope_group_ids())
    union all
    select product_id from devices where tenant_id = current_tenant() and created_by = scope_owner()) used
$$;
revoke execute on function scope_group_ids(), scope_product_ids(), scope_seen_product_ids() from public;
grant execute on function scope_group_ids(), scope_product_ids(), scope_seen_product_ids() to :app;

-- ───────────── policies ─────────────
-- Restrictive: they narrow what the company's own policy allows. The first sub-select is true for almost everybody, and
-- then nothing after it is evaluated.
create policy in_scope on devices as restrictive to :app
  using ((select scope_open())
    or group_id = any ((select scope_group_ids())::uuid[])
    or product_id = any ((select scope_product_ids())::uuid[])
    or created_by = (select scope_owner()))
  with check ((select scope_open())
    or group_id = any ((select scope_group_ids())::uuid[])
    or product_id = any ((select scope_product_ids())::uuid[])
    or created_by = (select scope_owner()));

create policy in_scope_read on products as restrictive for select to :app
  using ((select scope_open())
    or created_by = (select scope_owner())
    or id = any ((select scope_seen_product_ids())::uuid[]));
-- Not by the ids of the scope: a product that is made or moved in this statement is not among them yet.
create policy in_scope_insert on products as restrictive for insert to :app
  with check ((select scope_open())
    or created_by = (select scope_owner())
    or group_id = any ((select scope_group_ids())::uuid[]));
create policy in_scope_update on products as restrictive for update to :app
  using ((select scope_open())
    or created_by = (select scope_owner())
    or id = any ((select scope_product_ids())::uuid[]))
  with check ((select scope_open())
    or created_by = (select scope_owner())
    or id = any (nullif(current_setting('app.scope_products', true), '')::uuid[])
    or group_id = any ((select scope_group_ids())::uuid[]));
create policy in_scope_delete on products as restrictive for delete to :app
  using ((select scope_open())
    or created_by = (select scope_owner())
    or id = any ((select scope_product_ids())::uuid[]));

-- The trees are seen whole, as names; but nobody widens his scope by pulling a branch into it.
create policy in_scope_insert on groups as restrictive for insert to :app
  with check ((select scope_open()) or parent_id = any ((select scope_group_ids())::uuid[]));
create policy in_scope_update on groups as restrictive for update to :app
  using ((select scope_open()) or id = any ((select scope_group_ids())::uuid[]))
  with check ((select scope_open())
    or parent_id = any ((select scope_group_ids())::uuid[])
    or id = any (nullif(current_setting('app.scope_groups', true), '')::uuid[]));
create policy in_scope_delete on groups as restrictive for delete to :app
  using ((select scope_open()) or id = any ((select scope_group_ids())::uuid[]));

-- What hangs on a device is seen with its device. Not presence: the planner would walk the whole fleet rather than ask
-- for each row; whoever reads it in a limited scope joins the device (modules/devices, rls.int.test.ts holds it to that).
create policy in_scope on commands as restrictive to :app
  using ((select scope_open()) or exists (select 1 from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select 1 from devices d where d.id = device_id));
create policy in_scope on shadow_desired as restrictive to :app
  using ((select scope_open()) or exists (select 1 from devices d where d.num = device))
  with check ((select scope_open()) or exists (select 1 from devices d where d.num = device));

-- ───────────── the scope by indexes ─────────────
-- The policies ask every row that is walked past, and behind them no count is answered from an index alone. So lists and
-- counts name the devices of a narrow scope themselves. Like search_devices these run as the owner and demand the
-- company of the transaction; what they return are numbers to be read again under the policies, or counts.

-- Devices of the caller's scope outside the recycle bin. Null: more than `bound`, who are soon met walking the fleet.
create function scope_devices(tenant uuid, bound int) returns int4[] language plpgsql stable security definer
set search_path = public, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
declare
  in_groups constant uuid[] := scope_group_ids();
  in_products constant uuid[] := scope_product_ids();
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
    (select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.created_by = owner limit bound + 1));
  if cardinality(found) > bound then return null; end if;
  return found;
end $$;

-- How many devices the caller's scope has outside the recycle bin, and of these by link.
create function count_scope(tenant uuid, out total bigint, out online bigint, out offline bigint, out never bigint)
language plpgsql stable security definer
set search_path = public, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
declare
  in_groups constant uuid[] := scope_group_ids();
  in_products constant uuid[] := scope_product_ids();
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
    select d.num from devices d where d.tenant_id = tenant and d.recycled_at is null and d.created_by = owner) mine
  left join device_presence p on p.device = mine.num and p.tenant_id = tenant;
end $$;

-- How many devices the company has outside the recycle bin; with `wanted` those online, offline or never seen. For those
-- who see all: an index alone answers, and only what lies in the recycle bin is taken off.
create function count_company(tenant uuid, wanted text) returns bigint language plpgsql stable security definer
set search_path = public, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
begin
  if tenant is null or tenant is distinct from current_tenant() or not scope_open() then
    raise exception 'count outside the company or the scope of the transaction' using errcode = '42501';
  end if;
  if wanted is null then
    return (select count(*) from devices d where d.tenant_id = tenant and d.recycled_at is null);
  end if;
  if wanted = 'never' then
    return (select count(*) from device_unseen u where u.tenant_id = tenant)
      - (select count(*) from devices d join device_unseen u on u.device = d.num where d.tenant_id = tenant and d.recycled_at is not null);
  end if;
  return (select count(*) from device_presence p where p.tenant_id = tenant and p.link = wanted)
    - (select count(*) from devices d join device_presence p on p.device = d.num
       where d.tenant_id = tenant and d.recycled_at is not null and p.link = wanted);
end $$;
revoke execute on function scope_devices(uuid, int), count_scope(uuid), count_company(uuid, text) from public;
grant execute on function scope_devices(uuid, int), count_scope(uuid), count_company(uuid, text) to :app;

-- ───────────── names of products ─────────────
-- Beside a device its product's name is shown whatever the scope; read as the owner, so the company stands in it.
create view product_names as
  select id, num, product_key, name, icon, status, link_type, offline_delay_seconds from products
  where deleted_at is null and tenant_id = (select current_tenant());
grant select on product_names to :app;

-- ───────────── menu ─────────────
alter table menu_items
  -- words of buttons on the page, e.g. device:write: shown where rights are chosen
  add column button_codes text[] not null default '{}',
  -- made by the installation's seed; `reset to default` restores these and removes the others
  add column builtin boolean not null default false,
  add column version int not null default 1;
-- what stands there now came with the installation
update menu_items set builtin = true;
