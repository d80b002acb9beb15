-- Cameras: accounts at EZVIZ, their channels and those that are an address, presets, pictures that were kept.
create table video_accounts (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  app_key text not null,
  -- {appSecret}, sealed
  secrets_cipher bytea not null,
  base_url text not null,
  simulated boolean not null default false,
  -- the account's token, sealed, until when, and the host that it is for
  token_cipher bytea,
  token_expires_at timestamptz,
  token_host text,
  state text not null default 'untested' check (state in ('untested', 'ok', 'failed', 'disabled')),
  fault jsonb,
  tested_at timestamptz,
  synced_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index video_accounts_name_key on video_accounts (tenant_id, lower(name));
alter table video_accounts enable row level security;
create policy tenant_own on video_accounts to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on video_accounts to :system using (true) with check (true);
grant select, insert, update, delete on video_accounts to :app, :system;

create table video_channels (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  -- null: an address
  account_id uuid references video_accounts (id) on delete cascade,
  serial text,
  channel_no int,
  name text not null,
  -- a name that was given here stays when the vendor has another
  own_name boolean not null default false,
  model text not null default '',
  state text not null default 'unknown' check (state in ('online', 'offline', 'unknown')),
  encrypted boolean,
  -- verification code, sealed
  code_cipher bytea,
  stream_url text,
  device_id uuid references devices (id) on delete set null,
  snapshot_at timestamptz,
  synced_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  check ((account_id is null) = (stream_url is not null)),
  check ((account_id is null) = (serial is null))
);
create unique index video_channels_serial_key on video_channels (tenant_id, serial, channel_no) where serial is not null;
create index video_channels_list_idx on video_channels (tenant_id, name, id);
create index video_channels_device_idx on video_channels (device_id) where device_id is not null;
create index video_channels_account_idx on video_channels (account_id);
alter table video_channels enable row level security;
create policy tenant_own on video_channels to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- Who sees a part of the company sees the cameras of the devices that he sees.
create policy in_scope on video_channels as restrictive to :app
  using ((select scope_open()) or exists (select from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select from devices d where d.id = device_id));
create policy system_all on video_channels to :system using (true) with check (true);
grant select, insert, update, delete on video_channels to :app, :system;

create table video_presets (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  channel_id uuid not null references video_channels (id) on delete cascade,
  index int not null,
  name text not null,
  unique (channel_id, index)
);
alter table video_presets enable row level security;
create policy tenant_own on video_presets to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on video_presets as restrictive to :app
  using ((select scope_open()) or exists (select from video_channels c where c.id = channel_id))
  with check ((select scope_open()) or exists (select from video_channels c where c.id = channel_id));
create policy system_all on video_presets to :system using (true) with check (true);
grant select, insert, update, delete on video_presets to :app, :system;

create table video_snapshots (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  channel_id uuid not null references video_channels (id) on delete cascade,
  object_key text not null,
  content_type text not null,
  by_name text not null,
  at timestamptz not null default now()
);
create index video_snapshots_list_idx on video_snapshots (channel_id, at desc, id desc);
alter table video_snapshots enable row level security;
create policy tenant_own on video_snapshots to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on video_snapshots as restrictive to :app
  using ((select scope_open()) or exists (select from video_channels c where c.id = channel_id))
  with check ((select scope_open()) or exists (select from video_channels c where c.id = channel_id));
create policy system_all on video_snapshots to :system using (true) with check (true);
grant select, insert, update, delete on video_snapshots to :app, :system;
