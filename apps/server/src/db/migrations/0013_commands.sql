-- Commands of every kind on every link: what a product says about its commands, templates, periodic reads, batches.

-- Expiry, collapse, danger, read-back and the like of a product's properties and services
-- (packages/contracts/src/command-rules.ts); the PIN that some of them ask for is kept as a hash.
alter table products
  add column command_rules jsonb not null default '{}',
  add column command_rules_version int not null default 1,
  add column command_pin_hash text;

alter table commands
  -- what ends it: an answer, the reported property, or that it left. auto: an answer, or that it left when nothing can answer
  add column confirm text not null default 'auto' check (confirm in ('auto', 'reply', 'read_back', 'none')),
  -- property → {value, tolerance}: what must still be reported
  add column read_back jsonb,
  -- how the device's answer is recognised among its frames
  add column expects jsonb,
  -- conditions on the device's latest values, asked again before it leaves
  add column interlock jsonb,
  -- how often it is sent again when nothing answers
  add column retries int not null default 0 check (retries between 0 and 5),
  -- the bytes that left, as hex
  add column frames text[],
  -- the template it was made from, as it was: {id, name, params}
  add column template jsonb,
  add column batch_id uuid,
  add column schedule_id uuid;
-- A batch gives a device one command, whatever happens to the process in the middle.
create unique index commands_batch_idx on commands (batch_id, device) where batch_id is not null;
create index commands_read_back_idx on commands (device) where confirm = 'read_back' and state in ('sent', 'delivered');
-- Periodic reads do not pile up behind a device that does not answer, and their history is short.
create index commands_schedule_idx on commands (schedule_id, device) where schedule_id is not null and state in ('queued', 'sent', 'delivered');
create index commands_schedule_old_idx on commands (finished_at) where schedule_id is not null;

-- ───────────── templates ─────────────
create table command_templates (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  product_id uuid not null references products (id) on delete cascade,
  code text not null,
  name text not null,
  description text not null default '',
  -- kind, parameters, payload, checksum, expected answer, time-out, retries, confirmation, danger
  body jsonb not null,
  place int not null default 0,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (product_id, code)
);
create index command_templates_place_idx on command_templates (product_id, place, id);
alter table command_templates enable row level security;
create policy tenant_own on command_templates to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on command_templates as restrictive to :app
  using ((select scope_open()) or exists (select 1 from products p where p.id = product_id))
  with check ((select scope_open()) or exists (select 1 from products p where p.id = product_id));
create policy system_all on command_templates to :system using (true) with check (true);
grant select, insert, update, delete on command_templates to :app, :system;

-- ───────────── periodic reads ─────────────
-- A period is cut into slots, and a device belongs to one of them by its number, so that a fleet is not asked at once.
create table command_schedules (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  product_id uuid not null references products (id) on delete cascade,
  template_id uuid not null references command_templates (id) on delete cascade,
  params jsonb not null default '{}',
  every_seconds int not null check (every_seconds between 5 and 86400),
  enabled boolean not null default true,
  slot int not null default 0,
  next_run timestamptz not null default now(),
  last_run timestamptz,
  -- of the last whole period
  sent int not null default 0,
  skipped int not null default 0,
  error_code text,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index command_schedules_product_idx on command_schedules (product_id, created_at);
create index command_schedules_template_idx on command_schedules (template_id);
create index command_schedules_due_idx on command_schedules (next_run) where enabled;
alter table command_schedules enable row level security;
create policy tenant_own on command_schedules to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on command_schedules as restrictive to :app
  using ((select scope_open()) or exists (select 1 from products p where p.id = product_id))
  with check ((select scope_open()) or exists (select 1 from products p where p.id = product_id));
create policy system_all on command_schedules to :system using (true) with check (true);
grant select, insert, update, delete on command_schedules to :app, :system;

-- ───────────── batches ─────────────
create table command_batches (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  -- the command as it was asked for, for every device the same
  request jsonb not null,
  state text not null default 'running' check (state in ('running', 'cancelling', 'done', 'cancelled')),
  total int not null default 0,
  per_second int not null,
  -- not before then: the throttle
  next_at timestamptz not null default now(),
  retry_of uuid,
  -- who asked, with the rights he had then; they are read again while it runs
  owner_id uuid,
  owner_name text not null,
  actor jsonb not null,
  locale text not null default 'zh',
  ip text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state in ('done', 'cancelled')) = (ended_at is not null))
);
create index command_batches_list_idx on command_batches (tenant_id, created_at desc, id desc);
create index command_batches_due_idx on command_batches (next_at) where state in ('running', 'cancelling');
alter table command_batches enable row level security;
create policy tenant_own on command_batches to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on command_batches to :system using (true) with check (true);
grant select, insert, update, delete on command_batches to :app, :system;

-- One row per device that was meant. It outlives the device, so that the result says what became of it.
create table command_batch_items (
  batch_id uuid not null references command_batches (id) on delete cascade,
  position int not null,
  tenant_id uuid not null,
  device_id uuid not null,
  device int not null,
  device_no text not null,
  device_name text not null,
  -- created: the command's own state goes on from there
  state text not null default 'pending' check (state in ('pending', 'created', 'refused', 'cancelled')),
  command_id uuid,
  error_code text,
  error_params jsonb,
  primary key (batch_id, position)
);
create unique index command_batch_items_device_idx on command_batch_items (batch_id, device);
create index command_batch_items_pending_idx on command_batch_items (batch_id, position) where state = 'pending';
alter table command_batch_items enable row level security;
create policy tenant_own on command_batch_items to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on command_batch_items as restrictive to :app
  using ((select scope_open()) or exists (select 1 from command_batches b where b.id = batch_id and b.owner_id::text = current_setting('app.actor_id', true)) or exists (select 1 from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select 1 from command_batches b where b.id = batch_id and b.owner_id::text = current_setting('app.actor_id', true)) or exists (select 1 from devices d where d.id = device_id));
create policy system_all on command_batch_items to :system using (true) with check (true);
grant select, insert, update, delete on command_batch_items to :app, :system;
