-- Firmware: packages, campaigns, the update of each device with its time line, and what devices say they run.

-- {"requireSignature"?: bool, "requireVerified"?: bool, "magicHex"?: text}: what packages of a product must fulfil
alter table products add column firmware jsonb not null default '{}';

-- The notice of a package is a command of its own kind: it queues, is ordered and delivered like the others.
alter table commands drop constraint commands_kind_check;
alter table commands add constraint commands_kind_check check (kind in ('property_set', 'service', 'raw', 'firmware'));

create index commands_firmware_idx on commands (id) where kind = 'firmware' and state = 'queued';

-- ───────────── keys and packages ─────────────
create table firmware_keys (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  product_id uuid not null references products (id) on delete cascade,
  name text not null,
  -- Ed25519 (RFC 8032)
  public_key bytea not null check (length(public_key) = 32),
  created_by uuid,
  created_by_name text not null,
  created_at timestamptz not null default now(),
  unique (product_id, public_key)
);
alter table firmware_keys enable row level security;
create policy tenant_own on firmware_keys to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on firmware_keys as restrictive to :app
  using ((select scope_open()) or exists (select 1 from products p where p.id = product_id))
  with check ((select scope_open()) or exists (select 1 from products p where p.id = product_id));
create policy system_all on firmware_keys to :system using (true) with check (true);
grant select, insert, update, delete on firmware_keys to :app, :system;

create table firmware_packages (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  product_id uuid not null references products (id) on delete cascade,
  name text not null,
  module text not null default 'default',
  kind text not null check (kind in ('full', 'delta')),
  version text not null,
  from_version text,
  order_no int not null check (order_no between 1 and 99999),
  file_name text not null,
  -- of the object store; belongs to this package alone and never changes
  object_key text not null unique,
  size bigint not null check (size > 0),
  sha256 bytea not null check (length(sha256) = 32),
  -- over the manifest (packages/contracts/src/firmware-manifest.ts)
  signature bytea check (length(signature) = 64),
  key_id uuid references firmware_keys (id) on delete set null,
  notes text not null default '',
  ext jsonb not null default '{}',
  state text not null default 'unverified' check (state in ('unverified', 'verifying', 'verified', 'verification_failed', 'disabled')),
  state_note text not null default '',
  created_by uuid,
  created_by_name text not null,
  version_no int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((kind = 'delta') = (from_version is not null)),
  check (from_version is distinct from version)
);
-- one full package a version, one delta for each pair; the deltas of a version share its order number
create unique index firmware_packages_version_key on firmware_packages (product_id, module, version, from_version) nulls not distinct;
create unique index firmware_packages_order_key on firmware_packages (product_id, module, order_no) where kind = 'full';
create index firmware_packages_list_idx on firmware_packages (tenant_id, created_at, id);
create index firmware_packages_key_idx on firmware_packages (key_id) where key_id is not null;
alter table firmware_packages enable row level security;
create policy tenant_own on firmware_packages to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on firmware_packages as restrictive to :app
  using ((select scope_open()) or exists (select 1 from products p where p.id = product_id))
  with check ((select scope_open()) or exists (select 1 from products p where p.id = product_id));
create policy system_all on firmware_packages to :system using (true) with check (true);
create policy telemetry_read on firmware_packages for select to :telemetry using (true);
grant select, insert, update, delete on firmware_packages to :app, :system;
grant select on firmware_packages to :telemetry;

-- Objects that belong to no package yet or any more, as media_leftovers are.
create table firmware_leftovers (
  object_key text primary key,
  tenant_id uuid not null references tenants (id),
  since timestamptz not null default now()
);
create index firmware_leftovers_since_idx on firmware_leftovers (since);
alter table firmware_leftovers enable row level security;
create policy tenant_own on firmware_leftovers to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on firmware_leftovers to :system using (true) with check (true);
grant select, insert, update, delete on firmware_leftovers to :app, :system;

-- ───────────── what devices run ─────────────
create table device_firmware (
  device int not null references devices (num) on delete cascade,
  module text not null,
  tenant_id uuid not null,
  version text not null,
  previous_version text,
  reported_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (device, module)
);
create index device_firmware_version_idx on device_firmware (tenant_id, module, version);
alter table device_firmware enable row level security;
create policy tenant_own on device_firmware to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on device_firmware as restrictive to :app
  using ((select scope_open()) or exists (select 1 from devices d where d.num = device))
  with check ((select scope_open()) or exists (select 1 from devices d where d.num = device));
create policy system_all on device_firmware to :system using (true) with check (true);
create policy telemetry_all on device_firmware to :telemetry using (true) with check (true);
grant select on device_firmware to :app;
grant select, insert, update, delete on device_firmware to :system, :telemetry;

-- ───────────── campaigns ─────────────
create table ota_campaigns (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  product_id uuid not null references products (id) on delete cascade,
  package_id uuid not null references firmware_packages (id),
  name text not null,
  kind text not null default 'rollout' check (kind in ('rollout', 'verification', 'rollback')),
  state text not null check (state in ('scheduled', 'running', 'paused', 'stopped', 'completed', 'cancelled')),
  state_reason text,
  scope jsonb not null,
  -- everything of packages/contracts CampaignPlan, with the defaults filled in
  plan jsonb not null,
  dynamic boolean not null default false,
  start_at timestamptz,
  end_at timestamptz,
  -- whether devices may still join; a static campaign closes when all of its devices are in
  intake_open boolean not null default true,
  intake_at timestamptz,
  -- not looked at before then: the rate
  next_at timestamptz not null,
  -- nothing is to be told: it is looked at sooner when one of its updates changes
  idle boolean not null default false,
  -- devices that ended before count no more for the failure rate
  counted_from timestamptz not null,
  of_campaign uuid,
  -- who asked, with the rights he had then; they are read again while devices join
  owner_id uuid,
  owner_name text not null,
  actor jsonb not null,
  locale text not null default 'zh',
  version_no int not null default 1,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  check ((state in ('completed', 'cancelled')) = (ended_at is not null))
);
create index ota_campaigns_list_idx on ota_campaigns (tenant_id, created_at desc, id desc);
create index ota_campaigns_package_idx on ota_campaigns (package_id);
create index ota_campaigns_due_idx on ota_campaigns (next_at) where state in ('scheduled', 'running');
create unique index ota_campaigns_dynamic_key on ota_campaigns (package_id) where dynamic and state in ('scheduled', 'running', 'paused', 'stopped');
alter table ota_campaigns enable row level security;
create policy tenant_own on ota_campaigns to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on ota_campaigns as restrictive to :app
  using ((select scope_open()) or exists (select 1 from products p where p.id = product_id))
  with check ((select scope_open()) or exists (select 1 from products p where p.id = product_id));
create policy system_all on ota_campaigns to :system using (true) with check (true);
create policy telemetry_read on ota_campaigns for select to :telemetry using (true);
grant select, insert, update, delete on ota_campaigns to :app, :system;
grant select on ota_campaigns to :telemetry;

-- ───────────── the update of one device ─────────────
create table ota_jobs (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  campaign_id uuid not null references ota_campaigns (id) on delete cascade,
  product_id uuid not null,
  device_id uuid not null references devices (id) on delete cascade,
  device int not null,
  module text not null,
  from_version text,
  to_version text not null,
  -- [{packageId, kind, fromVersion, version, size}], one after the other; step counts from 1
  steps jsonb not null,
  step int not null default 1,
  -- of this step
  package_id uuid not null references firmware_packages (id),
  state text not null check (state in ('to_confirm', 'pending', 'notified', 'downloading', 'downloaded', 'verified', 'installing',
    'succeeded', 'failed', 'timed_out', 'rejected', 'cancelled', 'superseded')),
  percent int not null default 0 check (percent between 0 and 100),
  waiting_for text,
  -- notices so far, and failures of this step
  attempt int not null default 0,
  tries int not null default 0,
  error_code text,
  message text,
  command_id uuid,
  -- what became of the notice, kept by a trigger on commands
  command_state text,
  events int not null default 0,
  created_at timestamptz not null,
  notified_at timestamptz,
  first_notified_at timestamptz,
  changed_at timestamptz not null,
  -- when the watchdog ends the phase
  due_at timestamptz,
  -- not told before
  next_at timestamptz not null,
  finished_at timestamptz,
  check ((state in ('succeeded', 'failed', 'timed_out', 'rejected', 'cancelled', 'superseded')) = (finished_at is not null))
);
-- a device takes part in a campaign once, and has one update at a time for each of its modules
create unique index ota_jobs_campaign_key on ota_jobs (campaign_id, device_id);
create unique index ota_jobs_open_key on ota_jobs (device, module)
  where state in ('to_confirm', 'pending', 'notified', 'downloading', 'downloaded', 'verified', 'installing');
create index ota_jobs_list_idx on ota_jobs (tenant_id, created_at desc, id desc);
create index ota_jobs_device_idx on ota_jobs (device, module, created_at desc);
create index ota_jobs_state_idx on ota_jobs (campaign_id, state);
create index ota_jobs_turn_idx on ota_jobs (campaign_id, next_at, id) where state = 'pending' and command_id is null;
create index ota_jobs_due_idx on ota_jobs (due_at) where due_at is not null;
create index ota_jobs_changed_idx on ota_jobs (changed_at);
create index ota_jobs_told_idx on ota_jobs (changed_at) where state = 'pending' and command_state is not null and command_state <> 'queued';
create index ota_jobs_command_idx on ota_jobs (command_id) where command_id is not null;
create index ota_jobs_package_idx on ota_jobs (package_id);
alter table ota_jobs enable row level security;
create policy tenant_own on ota_jobs to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on ota_jobs as restrictive to :app
  using ((select scope_open()) or exists (select 1 from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select 1 from devices d where d.id = device_id));
create policy system_all on ota_jobs to :system using (true) with check (true);
create policy telemetry_all on ota_jobs to :telemetry using (true) with check (true);
grant select, insert, update, delete on ota_jobs to :app, :system;
grant select, update on ota_jobs to :telemetry;

-- The time line of a device: every message and every change, also of what no job asked for.
create table ota_job_events (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants (id),
  job_id uuid references ota_jobs (id) on delete cascade,
  device int not null references devices (num) on delete cascade,
  module text not null,
  at timestamptz not null,
  kind text not null,
  state text,
  percent int,
  message text,
  data jsonb not null default '{}'
);
create index ota_job_events_job_idx on ota_job_events (job_id, id) where job_id is not null;
create index ota_job_events_device_idx on ota_job_events (device, id desc);
alter table ota_job_events enable row level security;
create policy tenant_own on ota_job_events to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on ota_job_events as restrictive to :app
  using ((select scope_open()) or exists (select 1 from devices d where d.num = device))
  with check ((select scope_open()) or exists (select 1 from devices d where d.num = device));
create policy system_all on ota_job_events to :system using (true) with check (true);
create policy telemetry_all on ota_job_events to :telemetry using (true) with check (true);
grant select, insert, delete on ota_job_events to :app, :system;
grant select, insert on ota_job_events to :telemetry;

-- A job learns what became of its notice from whoever changes the command, in the same transaction.
create function ota_notice_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update ota_jobs set command_state = new.state where command_id = new.id;
  return null;
end
$$;
create trigger ota_notice_changed after update of state on commands
  for each row when (new.kind = 'firmware' and new.state is distinct from old.state) execute function ota_notice_changed();
