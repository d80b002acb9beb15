-- Figures of fleets in time, for the overview of a company: samples are taken beside requests, pages read the samples.

-- A cell is everything that a data scope can tell devices apart by: product, group and maker. A scope is a set of cells,
-- so the figures of every scope are sums of theirs. Zero stands for none.
create table fleet_cells (
  num int generated always as identity primary key,
  tenant_id uuid not null references tenants (id),
  product_id uuid not null,
  group_id uuid not null default '00000000-0000-0000-0000-000000000000',
  created_by uuid not null default '00000000-0000-0000-0000-000000000000',
  unique (tenant_id, product_id, group_id, created_by)
);
alter table fleet_cells enable row level security;
create policy tenant_own on fleet_cells for select to :app using (tenant_id = (select current_tenant()));
create policy in_scope on fleet_cells as restrictive to :app
  using ((select scope_open())
    or group_id = any ((select scope_group_ids())::uuid[])
    or product_id = any ((select scope_product_ids())::uuid[])
    or created_by = (select scope_owner()));
create policy system_all on fleet_cells to :system using (true) with check (true);
grant select on fleet_cells to :app;
grant select, insert, update, delete on fleet_cells to :system;

-- Cells of the caller's scope. As the owner: a policy that asks another table under its policies asks them for each row.
create function scope_cells() returns int[] language sql stable parallel safe security definer set search_path = public, pg_temp as $$
  select coalesce(array_agg(num), '{}') from fleet_cells
  where tenant_id = current_tenant() and (scope_open()
    or group_id = any (scope_group_ids()) or product_id = any (scope_product_ids()) or created_by = scope_owner())
$$;
revoke execute on function scope_cells() from public;
grant execute on function scope_cells() to :app;

-- Every five minutes (step 300) and every hour (step 3600): how many there are at its end, and what happened in it.
-- Cell 0 is the company as a whole, for those who see all of it.
create table fleet_samples (
  tenant_id uuid not null references tenants (id),
  cell int not null,
  step int not null check (step in (300, 3600)),
  at timestamptz not null,
  devices int not null,
  online int not null,
  messages bigint not null default 0,
  refused bigint not null default 0,
  created int not null default 0,
  -- silent for a day since then
  lost int not null default 0,
  commands_ok int not null default 0,
  commands_failed int not null default 0,
  taken_at timestamptz not null default now(),
  primary key (tenant_id, step, cell, at)
);
create index fleet_samples_old_idx on fleet_samples (step, at);
alter table fleet_samples enable row level security;
create policy tenant_own on fleet_samples for select to :app using (tenant_id = (select current_tenant()));
create policy in_scope on fleet_samples as restrictive to :app
  using ((select scope_open()) or cell = any ((select scope_cells())::int[]));
create policy system_all on fleet_samples to :system using (true) with check (true);
grant select on fleet_samples to :app;
grant select, insert, update, delete on fleet_samples to :system;

-- Devices that sent most in an hour: of the company as a whole (cell 0) and of each cell.
create table fleet_talkers (
  tenant_id uuid not null references tenants (id),
  cell int not null,
  hour timestamptz not null,
  device int not null references devices (num) on delete cascade,
  messages int not null,
  primary key (tenant_id, cell, hour, device)
);
create index fleet_talkers_old_idx on fleet_talkers (hour);
create index fleet_talkers_device_idx on fleet_talkers (device);
alter table fleet_talkers enable row level security;
create policy tenant_own on fleet_talkers for select to :app using (tenant_id = (select current_tenant()));
create policy in_scope on fleet_talkers as restrictive to :app
  using ((select scope_open()) or cell = any ((select scope_cells())::int[]));
create policy system_all on fleet_talkers to :system using (true) with check (true);
grant select on fleet_talkers to :app;
grant select, insert, update, delete on fleet_talkers to :system;

-- What a sample is made of.
grant select on device_stats to :system;
create index commands_finished_idx on commands (tenant_id, finished_at) where finished_at is not null;

-- How each person arranged his overview.
create table home_layouts (
  login_id uuid primary key references logins (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  layout jsonb not null
);
alter table home_layouts enable row level security;
create policy tenant_own on home_layouts to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on home_layouts to :system using (true) with check (true);
grant select, insert, update, delete on home_layouts to :app, :system;
