-- Devices that are made at ChirpStack from here: where those of a product go, and the keys of each.
create table lora_products (
  product_id uuid primary key references products (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  connection_id uuid not null references lora_connections (id) on delete cascade,
  -- ChirpStack's own id and name of the application
  application_id text not null,
  application_name text not null default '',
  -- null: the profile is no longer there
  profile_id uuid references lora_profiles (id) on delete set null,
  version int not null default 1
);
create index lora_products_connection_idx on lora_products (connection_id);
create index lora_products_profile_idx on lora_products (profile_id) where profile_id is not null;
alter table lora_products enable row level security;
create policy tenant_own on lora_products to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on lora_products as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on lora_products to :system using (true) with check (true);
grant select, insert, update, delete on lora_products to :app, :system;

create table lora_keys (
  device_id uuid primary key references devices (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  -- in small letters
  dev_eui text not null,
  -- where it was made
  connection_id uuid references lora_connections (id) on delete set null,
  application_id text not null default '',
  profile_id uuid references lora_profiles (id) on delete set null,
  join_eui text not null default '0000000000000000',
  activation text not null default 'otaa' check (activation in ('otaa', 'abp')),
  -- AppKey, NwkKey … of the device, sealed
  keys_cipher bytea not null,
  skip_fcnt_check boolean not null default false,
  disabled boolean not null default false,
  variables jsonb not null default '{}',
  tags jsonb not null default '{}',
  state text not null default 'pending' check (state in ('pending', 'registered', 'failed')),
  -- ChirpStack's own words, why it is not there
  fault text,
  registered_at timestamptz,
  version int not null default 1
);
create index lora_keys_connection_idx on lora_keys (connection_id) where connection_id is not null;
create index lora_keys_profile_idx on lora_keys (profile_id) where profile_id is not null;
alter table lora_keys enable row level security;
create policy tenant_own on lora_keys to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on lora_keys as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on lora_keys to :system using (true) with check (true);
grant select, insert, update, delete on lora_keys to :app, :system;

-- Tables with keys that are being worked off: sealed whole, and gone a day later.
create table lora_imports (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  rows_cipher bytea not null,
  created_at timestamptz not null default now()
);
create index lora_imports_created_idx on lora_imports (created_at);
alter table lora_imports enable row level security;
create policy tenant_own on lora_imports to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on lora_imports as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on lora_imports to :system using (true) with check (true);
grant select, insert, update, delete on lora_imports to :app, :system;

-- The doctor looks at what ChirpStack says of a device, and at the gateway that heard it.
create policy telemetry_read on lora_keys for select to :telemetry using (true);
create policy telemetry_read on lora_devices for select to :telemetry using (true);
create policy telemetry_read on lora_gateways for select to :telemetry using (true);
grant select (device_id, state, fault, registered_at) on lora_keys to :telemetry;
grant select on lora_devices to :telemetry;
grant select (connection_id, gateway_id, name, state, state_since) on lora_gateways to :telemetry;
