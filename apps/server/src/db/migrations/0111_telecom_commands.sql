-- Commands on their way through a platform, from the moment they leave the queue until what became of them is known.
create table telecom_commands (
  command_id uuid primary key,
  tenant_id uuid not null references tenants (id),
  device_id uuid not null,
  key_id uuid not null references telecom_keys (id) on delete cascade,
  -- the platform's number of it
  platform_no text,
  -- waiting: back in the queue, the platform is not asked again before due_at
  state text not null default 'sending' check (state in ('sending', 'waiting', 'kept')),
  -- nothing but its delivery will be heard of it
  settles boolean not null default false,
  tries int not null default 0,
  due_at timestamptz not null,
  expires_at timestamptz not null
);
create index telecom_commands_due_idx on telecom_commands (due_at);
create unique index telecom_commands_platform_key on telecom_commands (key_id, platform_no, device_id) where platform_no is not null;
create index telecom_commands_device_idx on telecom_commands (device_id);
alter table telecom_commands enable row level security;
create policy tenant_own on telecom_commands to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on telecom_commands as restrictive to :app
  using ((select scope_open()) or exists (select from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select from devices d where d.id = device_id));
create policy system_all on telecom_commands to :system using (true) with check (true);
grant select, insert, update, delete on telecom_commands to :app, :system;
