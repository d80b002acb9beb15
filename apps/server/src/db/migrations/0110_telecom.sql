-- Keys of NB-IoT platforms (CTWing AEP, OneNET), the products behind them, and what came to their callback addresses.
create table telecom_keys (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  platform text not null check (platform in ('ctwing', 'onenet')),
  remark text not null default '',
  base_url text not null,
  -- appKey, or the id of a user or product of OneNET
  account text not null,
  auth text not null default 'user' check (auth in ('user', 'product')),
  -- {appSecret, token, aesKey}, sealed
  secrets_cipher bytea not null,
  secret_hint text not null,
  has_token boolean not null default false,
  has_aes_key boolean not null default false,
  verify_product text,
  -- addresses and networks that callbacks may come from; none: from anywhere
  allow text[] not null default '{}',
  -- the simulated platform of the demo company
  simulated boolean not null default false,
  state text not null default 'untested' check (state in ('untested', 'ok', 'failed', 'disabled')),
  -- {kind, code, text} of the last request that failed
  fault jsonb,
  verified_at timestamptz,
  -- the two halves of the callback address: the first finds the key, the second nobody can guess
  callback_no text not null,
  callback_secret text not null,
  last_callback_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index telecom_keys_name_key on telecom_keys (tenant_id, lower(name));
create unique index telecom_keys_callback_key on telecom_keys (callback_no);
create index telecom_keys_list_idx on telecom_keys (tenant_id, created_at desc, id desc);
alter table telecom_keys enable row level security;
create policy tenant_own on telecom_keys to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on telecom_keys as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on telecom_keys to :system using (true) with check (true);
grant select, insert, update, delete on telecom_keys to :app, :system;

create table telecom_products (
  product_id uuid primary key references products (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  key_id uuid not null references telecom_keys (id),
  -- what the platform calls it
  platform_product text not null,
  -- Master-APIkey of CTWing, sealed
  master_cipher bytea,
  master_hint text,
  version int not null default 1
);
create unique index telecom_products_platform_key on telecom_products (key_id, platform_product);
alter table telecom_products enable row level security;
create policy tenant_own on telecom_products to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on telecom_products as restrictive to :app
  using ((select scope_open()) or exists (select from products p where p.id = product_id))
  with check ((select scope_open()) or exists (select from products p where p.id = product_id));
create policy system_all on telecom_products to :system using (true) with check (true);
grant select, insert, update, delete on telecom_products to :app, :system;

-- Devices as their platform knows them. A row outlives its device until the platform has deleted its own.
create table telecom_devices (
  device_id uuid primary key,
  tenant_id uuid not null references tenants (id),
  product_id uuid not null,
  device_no text not null,
  key_id uuid references telecom_keys (id),
  platform_product text,
  imei text,
  imsi text,
  sn text,
  psk_cipher bytea,
  -- the platform's own id of it
  platform_device text,
  mirror text not null default 'none' check (mirror in ('none', 'pending', 'mirrored', 'failed', 'removing')),
  mirror_fault text,
  -- it shall be there; false: somebody took it away on purpose
  wanted boolean not null default true,
  tries int not null default 0,
  -- when the platform is asked next
  due_at timestamptz,
  last_message_at timestamptz,
  version int not null default 1
);
create unique index telecom_devices_imei_key on telecom_devices (tenant_id, imei) where imei is not null;
create index telecom_devices_platform_idx on telecom_devices (key_id, platform_device) where platform_device is not null;
create index telecom_devices_product_idx on telecom_devices (product_id);
create index telecom_devices_due_idx on telecom_devices (due_at) where due_at is not null;
alter table telecom_devices enable row level security;
create policy tenant_own on telecom_devices to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on telecom_devices as restrictive to :app
  using ((select scope_open()) or exists (select from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select from devices d where d.id = device_id));
create policy system_all on telecom_devices to :system using (true) with check (true);
grant select, insert, update, delete on telecom_devices to :app, :system;

create table telecom_refused (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  key_id uuid not null references telecom_keys (id) on delete cascade,
  reason text not null,
  detail text not null default '',
  source text not null,
  excerpt text not null default '',
  count int not null default 1,
  first_at timestamptz not null,
  last_at timestamptz not null
);
create unique index telecom_refused_same_key on telecom_refused (key_id, reason, source, detail);
create index telecom_refused_list_idx on telecom_refused (key_id, last_at desc, id desc);
alter table telecom_refused enable row level security;
create policy tenant_own on telecom_refused to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on telecom_refused as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on telecom_refused to :system using (true) with check (true);
grant select, insert, update, delete on telecom_refused to :app, :system;

-- Messages that were taken, so that one that is pushed again is taken once.
create table telecom_messages (
  key_id uuid not null references telecom_keys (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  digest bytea not null,
  at timestamptz not null,
  primary key (key_id, digest)
);
create index telecom_messages_at_idx on telecom_messages (at);
alter table telecom_messages enable row level security;
create policy tenant_own on telecom_messages to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on telecom_messages as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on telecom_messages to :system using (true) with check (true);
grant select, insert, update, delete on telecom_messages to :app, :system;
