-- Devices as ChirpStack servers name them: which of ours they are, how they are heard, and what is on its way to them.
create table lora_devices (
  connection_id uuid not null references lora_connections (id) on delete cascade,
  -- in small letters
  dev_eui text not null,
  tenant_id uuid not null references tenants (id),
  -- ours with this number; null: there is none yet
  device_id uuid references devices (id) on delete set null,
  name text not null default '',
  application_id text not null default '',
  profile_remote_id text not null default '',
  dev_addr text,
  class text not null default 'A',
  last_seen_at timestamptz,
  joined_at timestamptz,
  gateway_id text,
  rssi int,
  snr real,
  dr int,
  frequency bigint,
  f_cnt bigint,
  f_port int,
  battery real,
  external_power boolean,
  margin int,
  uplinks bigint not null default 0,
  -- {level, code, text} of ChirpStack's last word about it that was no information
  problem jsonb,
  problem_at timestamptz,
  primary key (connection_id, dev_eui)
);
create index lora_devices_device_idx on lora_devices (device_id) where device_id is not null;
create index lora_devices_list_idx on lora_devices (tenant_id, last_seen_at desc nulls last, dev_eui);
alter table lora_devices enable row level security;
create policy tenant_own on lora_devices to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on lora_devices as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on lora_devices to :system using (true) with check (true);
grant select, insert, update, delete on lora_devices to :app, :system;

create table lora_downlinks (
  -- ChirpStack's id of the item in its queue
  queue_item_id text not null,
  connection_id uuid not null references lora_connections (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  dev_eui text not null,
  command_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (connection_id, queue_item_id)
);
create index lora_downlinks_created_idx on lora_downlinks (created_at);
alter table lora_downlinks enable row level security;
create policy tenant_own on lora_downlinks to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on lora_downlinks as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on lora_downlinks to :system using (true) with check (true);
grant select, insert, update, delete on lora_downlinks to :app, :system;
