-- Data subscriptions: what other systems get of a company's devices (docs/adr/0051-data-subscriptions.md).

-- Whether a data scope lies within the caller's: he may see what another of his keys, or he himself, subscribed to.
create function scope_covers(asked jsonb) returns boolean language sql stable parallel safe set search_path = public, pg_temp as $$
  select coalesce(asked ->> 'kind', '') = 'limited'
    and not exists (select 1 from jsonb_array_elements_text(asked -> 'groupIds') g where g::uuid <> all (scope_group_ids()))
    and not exists (select 1 from jsonb_array_elements_text(asked -> 'productIds') p where p::uuid <> all (scope_product_ids()))
    and (not coalesce((asked ->> 'own')::boolean, false) or scope_owner() is not null)
$$;
revoke execute on function scope_covers(jsonb) from public;
grant execute on function scope_covers(jsonb) to :app;

create table subscriptions (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  kinds text[] not null check (cardinality(kinds) > 0),
  filter jsonb not null default '{}',
  -- devices that whoever made it may see: never more of them leaves, whoever edits it later
  data_scope jsonb not null default '{"kind":"all"}',
  target_kind text not null check (target_kind in ('webhook', 'mqtt', 'websocket', 'nats', 'kafka', 'pull')),
  -- without what is secret
  target jsonb not null,
  -- secrets of the target, sealed JSON
  secrets_cipher bytea,
  old_secret_until timestamptz,
  -- SHA-256 of the password of its account on our MQTT listener
  password_hash bytea,
  payload jsonb not null default '{"format":"envelope"}',
  max_items int not null default 100 check (max_items between 1 and 100),
  wait_ms int not null default 0 check (wait_ms between 0 and 60000),
  state text not null default 'active' check (state in ('active', 'paused')),
  paused_reason text check (paused_reason in ('user', 'failures', 'target')),
  created_by uuid,
  created_by_name text not null default '',
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  check ((state = 'paused') = (paused_reason is not null))
);
create unique index subscriptions_name_key on subscriptions (tenant_id, name);
alter table subscriptions enable row level security;
create policy tenant_own on subscriptions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- Who sees a part of the company sees his own, and of them those that carry no more than he may see.
create policy in_scope on subscriptions as restrictive to :app
  using ((select scope_open()) or (created_by = (select current_actor()) and scope_covers(data_scope)))
  with check ((select scope_open()) or (created_by = (select current_actor()) and scope_covers(data_scope)));
create policy system_all on subscriptions to :system using (true) with check (true);
create policy telemetry_read on subscriptions for select to :telemetry using (true);
grant select, insert, update, delete on subscriptions to :app, :system;
-- The gateway signs clients in and never sees a secret.
grant select (id, tenant_id, name, kinds, filter, data_scope, target_kind, target, password_hash, payload, max_items, wait_ms, state, created_by, created_at, version)
  on subscriptions to :telemetry;

-- ───────────── the queue ─────────────
-- Items of each subscription are numbered without gaps; the row is held while some are appended, so that numbers are seen
-- in their order.
create table subscription_queues (
  subscription_id uuid primary key references subscriptions (id) on delete cascade,
  tenant_id uuid not null,
  last_seq bigint not null default 0
);
alter table subscription_queues enable row level security;
create policy tenant_own on subscription_queues to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on subscription_queues to :system using (true) with check (true);
create policy telemetry_all on subscription_queues to :telemetry using (true) with check (true);
grant select, insert on subscription_queues to :app;
grant select, insert, update, delete on subscription_queues to :system;
grant select, update on subscription_queues to :telemetry;

-- How far the deliverer is. Everything behind acked_seq waits; what is before it is kept a while for a replay.
create table subscription_progress (
  subscription_id uuid primary key references subscriptions (id) on delete cascade,
  tenant_id uuid not null,
  acked_seq bigint not null default 0,
  delivered bigint not null default 0,
  dropped bigint not null default 0,
  -- failures since the last success
  failures int not null default 0,
  failing_since timestamptz,
  next_try_at timestamptz,
  -- when the first of the items at the head was tried first, and how often they were
  head_since timestamptz,
  head_attempts int not null default 0,
  last_delivered_at timestamptz,
  last_failed_at timestamptz,
  last_error text,
  -- a notice about the backlog was given
  backlog_told boolean not null default false
);
alter table subscription_progress enable row level security;
create policy tenant_own on subscription_progress to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on subscription_progress to :system using (true) with check (true);
create policy telemetry_all on subscription_progress to :telemetry using (true) with check (true);
grant select, insert, update on subscription_progress to :app;
grant select, insert, update, delete on subscription_progress to :system;
grant select, update on subscription_progress to :telemetry;

-- No company and no foreign key: written thousands of times a second, read by subscription alone. The role app has no way in.
create table subscription_items (
  subscription_id uuid not null,
  seq bigint not null,
  -- arrival, epoch ms
  at bigint not null,
  device int not null,
  -- the envelope: JSON text
  item text not null,
  primary key (subscription_id, seq)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.5);
grant select, insert, delete on subscription_items to :telemetry;
grant select, delete on subscription_items to :system;

create table subscription_dead_letters (
  id uuid primary key,
  tenant_id uuid not null,
  subscription_id uuid not null references subscriptions (id) on delete cascade,
  device int not null,
  item text not null,
  reason text not null,
  status int,
  attempts int not null,
  at timestamptz not null
);
create index subscription_dead_letters_idx on subscription_dead_letters (subscription_id, at desc, id desc);
alter table subscription_dead_letters enable row level security;
create policy tenant_own on subscription_dead_letters to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on subscription_dead_letters as restrictive to :app
  using ((select scope_open()) or exists (select 1 from subscriptions s where s.id = subscription_id))
  with check ((select scope_open()) or exists (select 1 from subscriptions s where s.id = subscription_id));
create policy system_all on subscription_dead_letters to :system using (true) with check (true);
create policy telemetry_all on subscription_dead_letters to :telemetry using (true) with check (true);
grant select, delete on subscription_dead_letters to :app, :system;
grant select, insert, delete on subscription_dead_letters to :telemetry;

create table subscription_log (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  subscription_id uuid not null references subscriptions (id) on delete cascade,
  at timestamptz not null,
  result text not null check (result in ('ok', 'partial', 'retry', 'refused', 'dead', 'dropped')),
  items int not null,
  skipped int not null default 0,
  attempt int not null,
  status int,
  latency_ms int,
  reason text,
  detail text,
  first_item_id text,
  body text,
  answer text
);
create index subscription_log_idx on subscription_log (subscription_id, id desc);
alter table subscription_log enable row level security;
create policy tenant_own on subscription_log to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on subscription_log as restrictive to :app
  using ((select scope_open()) or exists (select 1 from subscriptions s where s.id = subscription_id))
  with check ((select scope_open()) or exists (select 1 from subscriptions s where s.id = subscription_id));
create policy system_all on subscription_log to :system using (true) with check (true);
create policy telemetry_all on subscription_log to :telemetry using (true) with check (true);
grant select on subscription_log to :app, :system;
grant select, insert, delete on subscription_log to :telemetry;

-- ───────────── what is not in the journal ─────────────
-- Written by triggers in the transaction of the change, only for companies that subscribed to it; read in commit order.
create table domain_events (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default clock_timestamp(),
  tenant_id uuid not null,
  kind text not null check (kind in ('command', 'lifecycle', 'firmware')),
  device int not null,
  -- facts of the device as they were: it may be gone when this is read
  device_id uuid not null,
  device_no text not null,
  product_id uuid not null,
  group_id uuid,
  tags text[] not null,
  created_by uuid,
  data jsonb not null
);
alter table domain_events enable row level security;
create policy tenant_own on domain_events to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on domain_events to :system using (true) with check (true);
create policy telemetry_all on domain_events to :telemetry using (true) with check (true);
grant select, delete on domain_events to :telemetry;

-- Runs as the owner: whoever changes a device need not see subscriptions.
create function note_domain_event(tenant uuid, event_kind text, dev devices, event jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from subscriptions s where s.tenant_id = tenant and event_kind = any (s.kinds)) then return; end if;
  insert into domain_events (tenant_id, kind, device, device_id, device_no, product_id, group_id, tags, created_by, data)
  values (tenant, event_kind, dev.num, dev.id, dev.device_no, dev.product_id, dev.group_id, dev.tags, dev.created_by, event);
end $$;
revoke execute on function note_domain_event(uuid, text, devices, jsonb) from public;

create function note_device_lifecycle() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    perform note_domain_event(new.tenant_id, 'lifecycle', new, jsonb_build_object('change', 'created', 'name', new.name));
  elsif tg_op = 'DELETE' then
    perform note_domain_event(old.tenant_id, 'lifecycle', old, jsonb_build_object('change', 'deleted', 'name', old.name));
  else
    perform note_domain_event(new.tenant_id, 'lifecycle', new, jsonb_build_object('change', case
      when new.lifecycle = 'recycled' then 'recycled'
      when old.lifecycle = 'recycled' then 'restored'
      when new.lifecycle = 'disabled' then 'disabled'
      when old.lifecycle = 'disabled' then 'enabled'
      else 'activated' end, 'name', new.name));
  end if;
  return null;
end $$;
revoke execute on function note_device_lifecycle() from public;
create trigger note_lifecycle_made after insert or delete on devices for each row execute function note_device_lifecycle();
create trigger note_lifecycle after update of lifecycle on devices for each row
  when (old.lifecycle is distinct from new.lifecycle) execute function note_device_lifecycle();

create function note_command_end() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare dev devices;
begin
  if not exists (select 1 from subscriptions s where s.tenant_id = new.tenant_id and 'command' = any (s.kinds)) then return null; end if;
  select * into dev from devices d where d.id = new.device_id;
  if found then
    perform note_domain_event(new.tenant_id, 'command', dev, jsonb_build_object(
      'commandId', new.id, 'kind', new.kind, 'identifier', new.identifier, 'state', new.state, 'params', new.params,
      'reply', new.reply, 'errorCode', new.error_code));
  end if;
  return null;
end $$;
revoke execute on function note_command_end() from public;
create trigger note_end after update of state on commands for each row
  when (old.state is distinct from new.state and new.kind <> 'firmware'
    and new.state in ('succeeded', 'rejected', 'timed_out', 'expired', 'failed', 'cancelled'))
  execute function note_command_end();

create function note_firmware_state() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare dev devices;
begin
  if not exists (select 1 from subscriptions s where s.tenant_id = new.tenant_id and 'firmware' = any (s.kinds)) then return null; end if;
  select * into dev from devices d where d.id = new.device_id;
  if found then
    perform note_domain_event(new.tenant_id, 'firmware', dev, jsonb_build_object(
      'jobId', new.id, 'campaignId', new.campaign_id, 'module', new.module, 'state', new.state,
      'fromVersion', new.from_version, 'version', new.to_version, 'percent', new.percent, 'errorCode', new.error_code));
  end if;
  return null;
end $$;
revoke execute on function note_firmware_state() from public;
create trigger note_made after insert on ota_jobs for each row execute function note_firmware_state();
create trigger note_state after update of state on ota_jobs for each row
  when (old.state is distinct from new.state) execute function note_firmware_state();

-- ───────────── what the consumer of the journal reads ─────────────
grant select on groups to :telemetry;
create policy telemetry_read on groups for select to :telemetry using (true);
