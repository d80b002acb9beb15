-- ChirpStack servers, and what was read of their device profiles and gateways.
create table lora_connections (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  url text not null,
  remote_tenant_id uuid not null,
  remote_tenant_name text,
  email text not null default '',
  -- configurations of regions that are used; none: all
  regions text[] not null default '{}',
  -- {apiKey, password}, sealed
  secrets_cipher bytea not null,
  -- the simulated ChirpStack of the demo company
  simulated boolean not null default false,
  state text not null default 'untested' check (state in ('untested', 'ok', 'failed', 'disabled')),
  -- {kind, code, text} of the last request that failed
  fault jsonb,
  tested_at timestamptz,
  synced_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index lora_connections_name_key on lora_connections (tenant_id, lower(name));
alter table lora_connections enable row level security;
create policy tenant_own on lora_connections to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on lora_connections as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on lora_connections to :system using (true) with check (true);
grant select, insert, update, delete on lora_connections to :app, :system;

create table lora_profiles (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  connection_id uuid not null references lora_connections (id) on delete cascade,
  remote_id text not null,
  name text not null,
  region text not null,
  mac_version text not null,
  reg_params_revision text not null,
  otaa boolean not null,
  class_b boolean not null,
  class_c boolean not null,
  codec text not null default 'none',
  -- made for the whole server by its operator
  shared boolean not null default false,
  -- all of its fields when it was read whole last
  settings jsonb,
  -- the server's time of change that they are of
  settings_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  synced_at timestamptz not null default now()
);
create unique index lora_profiles_remote_key on lora_profiles (connection_id, remote_id);
create index lora_profiles_list_idx on lora_profiles (tenant_id, created_at desc, id desc);
alter table lora_profiles enable row level security;
create policy tenant_own on lora_profiles to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on lora_profiles as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on lora_profiles to :system using (true) with check (true);
grant select, insert, update, delete on lora_profiles to :app, :system;

create table lora_gateways (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  connection_id uuid not null references lora_connections (id) on delete cascade,
  -- EUI64 in small letters
  gateway_id text not null,
  name text not null,
  description text not null default '',
  -- {lat, lng, alt}
  location jsonb,
  location_source text not null default 'unknown',
  stats_interval int not null default 30,
  downlink_priority int not null default 0,
  tags jsonb not null default '{}',
  metadata jsonb not null default '{}',
  region_config_id text,
  state text not null default 'never_seen' check (state in ('never_seen', 'online', 'offline')),
  state_since timestamptz,
  last_seen_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  synced_at timestamptz not null default now()
);
create unique index lora_gateways_gateway_key on lora_gateways (connection_id, gateway_id);
create index lora_gateways_list_idx on lora_gateways (tenant_id, created_at desc, id desc);
create index lora_gateways_state_idx on lora_gateways (tenant_id, state, created_at desc, id desc);
alter table lora_gateways enable row level security;
create policy tenant_own on lora_gateways to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on lora_gateways as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on lora_gateways to :system using (true) with check (true);
grant select, insert, update, delete on lora_gateways to :app, :system;
