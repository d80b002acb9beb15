-- Placeholders replaced by the migration runner: :app, :system, :telemetry are the three login roles (design.md §7).
-- app       sees only the tenant set in its transaction (row-level security)
-- system    sees every tenant; reached only through withSystemScope(reason)
-- telemetry writes and reads the device path's tables, which carry no tenant and no policy

create function current_tenant() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.tenant_id', true), '')::uuid $$;

-- ───────────── installation ─────────────
create table installation_settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);
grant select, insert, update, delete on installation_settings to :system;

-- ───────────── tenants ─────────────
create table tenants (
  id uuid primary key,
  app_id text not null unique,
  name text not null,
  kind text not null default 'company' check (kind in ('platform', 'company')),
  -- inactive, frozen → 0; expired → 1; trial, active, grace → 2 (specification §4)
  status text not null default 'active' check (status in ('inactive', 'frozen', 'expired', 'trial', 'active', 'grace')),
  expires_at timestamptz,
  time_zone text not null default 'Asia/Shanghai',
  branding jsonb not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table tenants enable row level security;
create policy tenant_own on tenants for select to :app using (id = (select current_tenant()));
create policy system_all on tenants to :system using (true) with check (true);
grant select on tenants to :app;
grant select, insert, update, delete on tenants to :system;

-- ───────────── logins, roles ─────────────
create table logins (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  kind text not null check (kind in ('member', 'operator', 'end_user')),
  username text not null,
  phone text,
  password_hash text,
  display_name text not null default '',
  locale text not null default 'zh' check (locale in ('zh', 'en')),
  state text not null default 'active' check (state in ('active', 'frozen')),
  -- raised on every change of password, role or state: tokens issued before it are refused
  token_epoch int not null default 0,
  last_login_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index logins_username_key on logins (lower(username));
create unique index logins_phone_key on logins (phone) where phone is not null;
create index logins_tenant_idx on logins (tenant_id);
alter table logins enable row level security;
create policy tenant_own on logins to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on logins to :system using (true) with check (true);
grant select on logins to :app;
grant select, insert, update, delete on logins to :system;

create table roles (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  key text not null,
  name text not null,
  ename text not null default '',
  permissions text[] not null default '{}',
  -- keys (route addresses) of the menu entries this role may open; '*' = all
  menu_keys text[] not null default '{}',
  builtin boolean not null default false,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (tenant_id, key)
);
alter table roles enable row level security;
create policy tenant_own on roles to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on roles to :system using (true) with check (true);
grant select, insert, update, delete on roles to :app, :system;

create table login_roles (
  login_id uuid not null references logins (id) on delete cascade,
  role_id uuid not null references roles (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  primary key (login_id, role_id)
);
alter table login_roles enable row level security;
create policy tenant_own on login_roles to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on login_roles to :system using (true) with check (true);
grant select, insert, update, delete on login_roles to :app, :system;

create table refresh_families (
  id uuid primary key,
  login_id uuid not null references logins (id) on delete cascade,
  client_id text not null,
  counter int not null default 0,
  current_hash bytea not null,
  previous_hash bytea,
  previous_until timestamptz,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  ip text,
  user_agent text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now()
);
create index refresh_families_login_idx on refresh_families (login_id);
create index refresh_families_current_idx on refresh_families (current_hash);
create index refresh_families_previous_idx on refresh_families (previous_hash);
alter table refresh_families enable row level security;
create policy system_all on refresh_families to :system using (true) with check (true);
grant select, insert, update, delete on refresh_families to :system;

create table sms_codes (
  id uuid primary key,
  phone text not null,
  purpose text not null check (purpose in ('sign_in', 'register', 'reset', 'bind')),
  code_hash bytea not null,
  attempts int not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sms_codes_phone_idx on sms_codes (phone, purpose, created_at desc);
alter table sms_codes enable row level security;
create policy system_all on sms_codes to :system using (true) with check (true);
grant select, insert, update, delete on sms_codes to :system;

-- ───────────── menu ─────────────
create table menu_items (
  id uuid primary key,
  parent_id uuid references menu_items (id) on delete cascade,
  name text not null,
  ename text not null,
  icon text not null default '',
  -- route address, '' for a group; it is also the key of the menu permission
  path text not null default '',
  position int not null default 0,
  jump int not null default 0,
  hidden boolean not null default false,
  operator_only boolean not null default false,
  updated_at timestamptz not null default now()
);
alter table menu_items enable row level security;
create policy read_all on menu_items for select to :app using (true);
create policy system_all on menu_items to :system using (true) with check (true);
grant select on menu_items to :app;
grant select, insert, update, delete on menu_items to :system;

-- ───────────── group trees ─────────────
create table groups (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  kind text not null check (kind in ('device', 'product', 'user')),
  parent_id uuid references groups (id),
  name text not null,
  position int not null default 0,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- siblings have different names
create unique index groups_name_key on groups (tenant_id, kind, parent_id, name) nulls not distinct;
create index groups_parent_idx on groups (parent_id) where parent_id is not null;
alter table groups enable row level security;
create policy tenant_own on groups to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on groups to :system using (true) with check (true);
grant select, insert, update, delete on groups to :app, :system;

-- ───────────── products ─────────────
create table products (
  id uuid primary key,
  num int generated always as identity unique,
  tenant_id uuid not null references tenants (id),
  product_key text not null unique,
  name text not null,
  description text not null default '',
  category text not null default '',
  icon text not null default '',
  link_type text not null,
  node_type text not null default 'device' check (node_type in ('device', 'gateway', 'sub_device')),
  status text not null default 'draft' check (status in ('draft', 'published')),
  -- the model being edited, and the one devices are checked against
  draft_model jsonb not null default '{"properties":[],"events":[],"services":[]}',
  published_model jsonb,
  model_version int not null default 0,
  format jsonb not null default '{"kind":"json"}',
  offline_delay_seconds int not null default 300 check (offline_delay_seconds between 10 and 604800),
  -- only a group without living objects is removed; what is deleted or in the recycle bin just loses it
  group_id uuid references groups (id) on delete set null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index products_tenant_idx on products (tenant_id, created_at, id) where deleted_at is null;
create index products_group_idx on products (group_id) where group_id is not null;
alter table products enable row level security;
create policy tenant_own on products to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on products to :system using (true) with check (true);
grant select, insert, update, delete on products to :app, :system;

-- one integer per (product, property identifier) for ever: the key of telemetry
create table product_properties (
  num int generated always as identity primary key,
  product_num int not null references products (num),
  identifier text not null,
  created_at timestamptz not null default now(),
  unique (product_num, identifier)
);
alter table product_properties enable row level security;
-- products are seen under their own policy, so this shows the properties of the tenant's products only
create policy tenant_own on product_properties for select to :app using (exists (select 1 from products where products.num = product_num));
create policy system_all on product_properties to :system using (true) with check (true);
create policy telemetry_all on product_properties to :telemetry using (true) with check (true);
grant select, insert on product_properties to :system, :telemetry;
grant select on product_properties to :app;

-- Numbers the properties of a product that have none yet. Publishing runs in a company's scope, which may not write here.
create function ensure_product_properties(product uuid, identifiers text[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  owned int := (select num from products where id = product and tenant_id = current_tenant());
begin
  if owned is null then raise exception 'not a product of this company' using errcode = '42501'; end if;
  -- Not ON CONFLICT alone: it would use up a number for every property that has one.
  insert into product_properties (product_num, identifier)
  select owned, i from unnest(identifiers) with ordinality as wanted (i, position)
  where not exists (select 1 from product_properties p where p.product_num = owned and p.identifier = i)
  order by position
  on conflict do nothing;
end $$;
revoke execute on function ensure_product_properties(uuid, text[]) from public;
grant execute on function ensure_product_properties(uuid, text[]) to :app;

-- ───────────── devices ─────────────
create table devices (
  id uuid primary key,
  num int generated always as identity unique,
  tenant_id uuid not null references tenants (id),
  product_id uuid not null references products (id),
  product_num int not null references products (num),
  device_no text not null,
  name text not null,
  lifecycle text not null default 'inactive' check (lifecycle in ('inactive', 'active', 'disabled', 'recycled')),
  -- what the device was before it was disabled or recycled
  lifecycle_before text,
  secret_hash bytea not null,
  secret_cipher bytea not null,
  previous_secret_hash bytea,
  previous_secret_until timestamptz,
  group_id uuid references groups (id) on delete set null,
  tags text[] not null default '{}',
  description text not null default '',
  location jsonb,
  offline_delay_seconds int check (offline_delay_seconds between 10 and 604800),
  -- normalised name and number, and hashed grams of these and of the tags (lib/search.ts, design.md §7 Search)
  search_text text not null default '',
  search_grams int4[] not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  activated_at timestamptz,
  recycled_at timestamptz,
  check ((lifecycle = 'recycled') = (recycled_at is not null))
);
-- a number is free again only when its device is gone for good
create unique index devices_number_key on devices (product_id, device_no);
-- Lists walk these in order. The recycle bin has its own, so that neither wades through the other.
create index devices_list_idx on devices (tenant_id, created_at, num) where recycled_at is null;
create index devices_product_idx on devices (tenant_id, product_id, created_at, num) where recycled_at is null;
create index devices_group_list_idx on devices (tenant_id, group_id, created_at, num) where recycled_at is null and group_id is not null;
create index devices_lifecycle_idx on devices (tenant_id, lifecycle, created_at, num);
create index devices_name_idx on devices (tenant_id, name, num) where recycled_at is null;
create index devices_recycled_idx on devices (tenant_id, created_at, num) where recycled_at is not null;
create index devices_group_idx on devices (group_id) where group_id is not null;
-- A short list of pending entries: every search reads it, and without one a new device costs 0.5 ms more.
create index devices_search_idx on devices using gin (search_grams) with (fastupdate = on, gin_pending_list_limit = 128);
alter table devices enable row level security;
create policy tenant_own on devices to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on devices to :system using (true) with check (true);
grant select, insert, update, delete on devices to :app, :system;

-- presence, written by the device path; one row per device that was ever seen
create table device_presence (
  device int primary key references devices (num) on delete cascade,
  tenant_id uuid not null,
  -- copied from the device by a trigger: a list filtered by link walks an index in order of creation
  created_at timestamptz,
  product_num int,
  link text not null default 'offline' check (link in ('online', 'offline')),
  alarm_level smallint not null default 0,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  online_since timestamptz,
  last_offline_at timestamptz,
  last_offline_reason text
) with (fillfactor = 70);
create index device_presence_seen_idx on device_presence (tenant_id, last_seen_at, device);
create index device_presence_link_idx on device_presence (tenant_id, link, created_at, device) include (product_num);
alter table device_presence enable row level security;
create policy tenant_own on device_presence for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on device_presence to :system using (true) with check (true);
create policy telemetry_all on device_presence to :telemetry using (true) with check (true);
grant select on device_presence to :app;
grant select, insert, update, delete on device_presence to :system, :telemetry;

-- devices without a row in device_presence, kept by triggers: finding them by what is missing would read the whole fleet
create table device_unseen (
  device int primary key references devices (num) on delete cascade,
  tenant_id uuid not null,
  created_at timestamptz not null
);
create index device_unseen_list_idx on device_unseen (tenant_id, created_at, device);
alter table device_unseen enable row level security;
create policy tenant_own on device_unseen for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on device_unseen for select to :system using (true);
grant select on device_unseen to :app, :system;

create function device_made() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into device_unseen (device, tenant_id, created_at) values (new.num, new.tenant_id, new.created_at);
  return null;
end $$;
create trigger device_made after insert on devices for each row execute function device_made();

-- After, not before: a trigger before an insert would also run for every upsert that ends as an update.
create function device_first_seen() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from device_unseen where device = new.device;
  update device_presence p set created_at = d.created_at, product_num = d.product_num
  from devices d where p.device = new.device and d.num = new.device;
  return null;
end $$;
create trigger device_first_seen after insert on device_presence for each row execute function device_first_seen();

create function device_forgotten() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- nothing to do when the device itself goes
  insert into device_unseen (device, tenant_id, created_at)
  select d.num, d.tenant_id, d.created_at from devices d where d.num = old.device
  on conflict do nothing;
  return null;
end $$;
create trigger device_forgotten after delete on device_presence for each row execute function device_forgotten();

-- Finds devices whose text holds the needle and that carry the tag, narrowed by what else is asked of a device (null:
-- any). Runs as the owner because no index can serve these conditions behind a policy; so it demands the company of the
-- transaction, and what it returns are numbers to be read again under the policy. Null: more than `bound` were found.
create function search_devices(
  tenant uuid, grams int4[], needle text, tag text, recycled boolean, life text, product uuid, groups uuid[], bound int)
returns int4[] language plpgsql stable security definer
set search_path = public, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
declare
  found int4[];
begin
  if tenant is null or tenant is distinct from current_tenant() then
    raise exception 'search outside the company of the transaction' using errcode = '42501';
  end if;
  found := array(
    select d.num from devices d
    where d.search_grams @> grams
      and d.tenant_id = tenant
      and (d.recycled_at is not null) = recycled
      and (life is null or d.lifecycle = life)
      and (product is null or d.product_id = product)
      and (groups is null or d.group_id = any (groups))
      and (needle = '' or strpos(d.search_text, needle) > 0)
      and (tag is null or tag = any (d.tags))
    limit bound + 1);
  if cardinality(found) > bound then return null; end if;
  return found;
end $$;
revoke execute on function search_devices(uuid, int4[], text, text, boolean, text, uuid, uuid[], int) from public;
grant execute on function search_devices(uuid, int4[], text, text, boolean, text, uuid, uuid[], int) to :app;

-- devices gone for good whose telemetry is still to be deleted
create table device_purges (
  device int primary key,
  tenant_id uuid not null,
  requested_at timestamptz not null default now()
);
alter table device_purges enable row level security;
create policy tenant_own on device_purges to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on device_purges to :system using (true) with check (true);
grant select, insert, delete on device_purges to :app, :system;

-- online and offline moments with their reasons
create table device_connections (
  device int not null,
  at timestamptz not null,
  seq bigint not null,
  kind text not null check (kind in ('online', 'offline')),
  reason text,
  transport text,
  address text,
  primary key (device, at, seq)
);
grant select, insert, delete on device_connections to :telemetry;

-- thing events (design.md §10): what the device reported besides properties
create table device_events (
  device int not null,
  ts bigint not null,
  lane smallint not null,
  seq bigint not null,
  identifier text not null,
  level text not null,
  params jsonb not null,
  primary key (device, ts, lane, seq)
);
grant select, insert, delete on device_events to :telemetry;

-- the last refused messages of every product, with their first 8 KB
create table refused_frames (
  id bigint generated always as identity primary key,
  product int not null,
  device int not null,
  at timestamptz not null,
  lane smallint not null,
  seq bigint not null,
  reason text not null,
  detail jsonb not null default '{}',
  bytes bytea,
  unique (lane, seq)
);
create index refused_frames_product_idx on refused_frames (product, id desc);
create index refused_frames_device_idx on refused_frames (device, id desc);
grant select, insert, delete on refused_frames to :telemetry;

-- ───────────── sessions ─────────────
-- every live connection; a row of a dead epoch is a session that a crash ended
create table device_sessions (
  device int primary key,
  node text not null,
  epoch bigint not null,
  transport text not null,
  client_id text not null,
  address text not null,
  protocol_version text not null,
  keep_alive_seconds int not null,
  subscriptions jsonb not null default '[]',
  connected_at timestamptz not null
);
grant select, insert, update, delete on device_sessions to :telemetry, :system;

-- MQTT session state that outlives a connection
create table mqtt_sessions (
  device int primary key,
  -- 0xFFFFFFFF = never
  expiry_seconds bigint not null,
  expires_at timestamptz,
  subscriptions jsonb not null default '[]',
  updated_at timestamptz not null default now()
);
-- QoS 2 publishes taken but not yet released: inserted in the journal's transaction, deleted at PUBREL
create table mqtt_inbound (
  device int not null,
  packet_id int not null,
  primary key (device, packet_id)
);
-- commands on their way at QoS 1 or 2
create table mqtt_outbound (
  device int not null,
  packet_id int not null,
  command_id uuid not null,
  qos smallint not null,
  released boolean not null default false,
  suffix text not null,
  payload bytea not null,
  position bigint generated always as identity,
  primary key (device, packet_id)
);
grant select, insert, update, delete on mqtt_sessions, mqtt_inbound, mqtt_outbound to :telemetry;

-- ───────────── commands ─────────────
create table commands (
  id uuid primary key,
  position bigint generated always as identity,
  tenant_id uuid not null references tenants (id),
  device_id uuid not null references devices (id) on delete cascade,
  device int not null,
  kind text not null check (kind in ('property_set', 'service', 'raw')),
  identifier text,
  params jsonb not null default '{}',
  state text not null default 'queued' check (state in ('queued', 'sent', 'delivered', 'succeeded', 'rejected', 'timed_out', 'expired', 'failed', 'cancelled')),
  source text not null default 'user',
  operator_id uuid,
  operator_name text not null default '',
  timeout_ms int not null default 10000,
  expires_at timestamptz not null,
  attempt int not null default 0,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  delivered_at timestamptz,
  finished_at timestamptz,
  -- when a sent command without an answer is given up
  reply_due_at timestamptz,
  reply jsonb,
  error_code text,
  error_message text
);
create index commands_device_idx on commands (device, position desc);
create index commands_queue_idx on commands (device, position) where state = 'queued';
create index commands_open_idx on commands (reply_due_at) where state in ('sent', 'delivered');
create index commands_expiry_idx on commands (expires_at) where state = 'queued';
alter table commands enable row level security;
create policy tenant_own on commands to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on commands to :system using (true) with check (true);
create policy telemetry_all on commands to :telemetry using (true) with check (true);
grant select, insert, update on commands to :app;
grant select, insert, update, delete on commands to :system, :telemetry;

-- the wanted state of a device; the reported one is `latest`
create table shadow_desired (
  device int primary key references devices (num) on delete cascade,
  tenant_id uuid not null,
  desired jsonb not null default '{}',
  version bigint not null default 1,
  updated_at timestamptz not null default now()
);
alter table shadow_desired enable row level security;
create policy tenant_own on shadow_desired to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on shadow_desired to :system using (true) with check (true);
create policy telemetry_all on shadow_desired to :telemetry using (true) with check (true);
grant select, insert, update, delete on shadow_desired to :app, :system, :telemetry;

-- ───────────── the device path (design.md §6-7) ─────────────
-- One row per message. JSON is kept as text: `jsonb` costs twice the CPU to write (docs/adr/0002-durable-path.md), and what
-- reads it reads whole rows. Wide columns first, so that nothing is lost to padding.
create table journal (
  seq bigint not null,
  arrived_at timestamptz not null,
  -- epoch ms
  ts bigint not null,
  device_ts bigint,
  device int not null,
  lane smallint not null,
  kind smallint not null,
  quality smallint not null default 0,
  late boolean not null default false,
  values json,
  raw bytea,
  refused_reason text,
  primary key (lane, seq, arrived_at)
) partition by range (arrived_at);
-- a device's messages in order of arrival: the message log, and the part of a history that is not sealed yet
create index journal_device_idx on journal (device, seq);

-- The reported state as of the cursor of consumer `latest`; a reader adds the journal's rows after it (journal/latest-reader.ts).
create table latest (
  device int primary key,
  -- property → [value, ts, quality]
  values json not null,
  updated_at timestamptz not null default now()
) with (fillfactor = 50);

-- One sealed segment: the values of one property of one device within one hour that were sealed together, packed by
-- modules/telemetry/segments (docs/adr/0002-durable-path.md).
create table telemetry (
  -- grows with every sealing: of two values with the same time the one in the higher segment counts
  segment bigint not null,
  device int not null,
  property int not null,
  -- hours since 1970
  hour int not null,
  n int not null,
  -- null for few values, for texts, and where the sum is not finite: then the values are read
  vmin float8,
  vmax float8,
  vsum float8,
  -- roll-up of five minutes: slot, count, sum, min, max; null where the values themselves take less room
  slots bytea,
  body bytea not null,
  primary key (device, property, hour, segment)
) partition by range (hour);
-- packed already: long ones out of the row, so that roll-ups read short rows, and never compressed again
alter table telemetry alter column body set storage external, alter column slots set storage external;
-- finds what was sealed of an hour; rows come nearly in order of time, so ranges of blocks are enough
create index telemetry_hour_idx on telemetry using brin (hour) with (pages_per_range = 16, autosummarize = on);

-- hours that may have several segments per property, to be merged into one when they are over
create table telemetry_unmerged (
  hour int primary key,
  sealed_at timestamptz not null default now()
);

-- position of every consumer in every lane
create table consumer_cursors (
  consumer text not null,
  lane smallint not null,
  seq bigint not null,
  arrived_at timestamptz,
  state jsonb,
  updated_at timestamptz not null default now(),
  primary key (consumer, lane)
);
-- messages a consumer gave up on after its retries
create table consumer_dead_letters (
  id bigint generated always as identity primary key,
  consumer text not null,
  lane smallint not null,
  seq bigint not null,
  error text not null,
  at timestamptz not null default now()
);

-- messages per device and hour, kept by the consumer `stats`
create table device_stats (
  device int not null,
  hour int not null,
  messages int not null default 0,
  refused int not null default 0,
  primary key (device, hour)
) with (fillfactor = 70);

grant select, insert, update, delete on journal, latest, telemetry, telemetry_unmerged, consumer_cursors, consumer_dead_letters, device_stats to :telemetry;

-- Partitions are made by the owner on behalf of the lanes; times are bounded so that nobody makes a million of them.
-- A partition is made beside the table and then attached: `create table … partition of` would wait for every reader and
-- hold up every writer meanwhile, attaching does neither.
create function ensure_journal_partition(at timestamptz) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  low timestamptz := date_trunc('hour', at at time zone 'UTC') at time zone 'UTC';
  part text := 'journal_' || to_char(low at time zone 'UTC', 'YYYYMMDDHH24');
begin
  if to_regclass(part) is not null then return; end if;
  if at < now() - interval '2 days' or at > now() + interval '2 days' then
    raise exception 'journal partition out of range: %', at using errcode = '22003';
  end if;
  -- not an advisory lock: only a lock of a table makes us see what others have made meanwhile
  lock table journal in share update exclusive mode;
  if to_regclass(part) is not null then return; end if;
  execute format('create table %I (like journal including defaults including indexes) with (autovacuum_vacuum_insert_scale_factor = 0.05)', part);
  execute format('alter table journal attach partition %I for values from (%L) to (%L)', part, low, low + interval '1 hour');
end $$;

create function ensure_telemetry_partition(at_hour int) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  month timestamp := date_trunc('month', to_timestamp(at_hour::bigint * 3600) at time zone 'UTC');
  part text := 'telemetry_' || to_char(month, 'YYYYMM');
  low int := (extract(epoch from month) / 3600)::int;
  high int := (extract(epoch from month + interval '1 month') / 3600)::int;
begin
  if to_regclass(part) is not null then return; end if;
  if month < now() at time zone 'UTC' - interval '14 months' or month > now() at time zone 'UTC' + interval '2 months' then
    raise exception 'telemetry partition out of range: %', month using errcode = '22003';
  end if;
  lock table telemetry in share update exclusive mode;
  if to_regclass(part) is not null then return; end if;
  execute format('create table %I (like telemetry including defaults including indexes including storage)', part);
  execute format('alter table telemetry attach partition %I for values from (%s) to (%s)', part, low, high);
end $$;

-- Dropping waits for readers, and everybody else waits behind it: so it gives up soon and is tried again later.
create function drop_journal_partition(part text) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if part !~ '^journal_\d{10}$' then raise exception 'not a journal partition: %', part; end if;
  set local lock_timeout = '200ms';
  execute format('drop table if exists %I', part);
end $$;
create function drop_telemetry_partition(part text) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if part !~ '^telemetry_\d{6}$' then raise exception 'not a telemetry partition: %', part; end if;
  set local lock_timeout = '200ms';
  execute format('drop table if exists %I', part);
end $$;
revoke execute on function ensure_journal_partition(timestamptz), ensure_telemetry_partition(int), drop_journal_partition(text), drop_telemetry_partition(text) from public;
grant execute on function ensure_journal_partition(timestamptz), ensure_telemetry_partition(int), drop_journal_partition(text), drop_telemetry_partition(text) to :telemetry;

-- what the device path must know of products and devices, secrets included
grant select on products, devices, tenants to :telemetry;
create policy telemetry_read on products for select to :telemetry using (true);
create policy telemetry_read on devices for select to :telemetry using (true);
create policy telemetry_read on tenants for select to :telemetry using (true);
-- a first message activates a device
grant update (lifecycle, activated_at) on devices to :telemetry;
create policy telemetry_activate on devices for update to :telemetry using (true) with check (true);

-- ───────────── operation log, idempotency ─────────────
create table audit_logs (
  id uuid primary key,
  tenant_id uuid not null,
  at timestamptz not null default now(),
  actor_kind text not null,
  actor_id uuid,
  actor_name text not null,
  action text not null,
  object_type text not null,
  object_id text,
  object_name text,
  before jsonb,
  after jsonb,
  result text not null default 'ok',
  ip text,
  request_id text
);
create index audit_logs_tenant_idx on audit_logs (tenant_id, at desc, id);
create index audit_logs_object_idx on audit_logs (tenant_id, object_type, object_id, at desc);
alter table audit_logs enable row level security;
create policy tenant_read on audit_logs for select to :app using (tenant_id = (select current_tenant()));
create policy tenant_write on audit_logs for insert to :app with check (tenant_id = (select current_tenant()));
create policy system_read on audit_logs for select to :system using (true);
create policy system_write on audit_logs for insert to :system with check (true);
grant select, insert on audit_logs to :app, :system;

create table idempotency_keys (
  actor_id text not null,
  key text not null,
  request_hash bytea not null,
  status int,
  -- sealed: an answer may hold a secret that is shown once
  body bytea,
  created_at timestamptz not null default now(),
  primary key (actor_id, key)
);
create index idempotency_keys_created_idx on idempotency_keys (created_at);
alter table idempotency_keys enable row level security;
create policy system_all on idempotency_keys to :system using (true) with check (true);
grant select, insert, update, delete on idempotency_keys to :system;
