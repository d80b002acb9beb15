-- The official account of a company at WeChat.
create table wechat_accounts (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  app_id text not null,
  -- {appSecret, token, aesKey}, sealed
  secrets_cipher bytea not null,
  mode text not null default 'encrypted' check (mode in ('plain', 'both', 'encrypted')),
  base_url text not null,
  -- the simulated WeChat of the demo company
  simulated boolean not null default false,
  -- {credentials: {state, said, at}, callback: …}
  steps jsonb not null default '{}',
  -- its channel of messages about alarms
  channel_id uuid references notification_channels (id) on delete set null,
  last_message_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index wechat_accounts_tenant_key on wechat_accounts (tenant_id);
alter table wechat_accounts enable row level security;
create policy tenant_own on wechat_accounts to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on wechat_accounts as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on wechat_accounts to :system using (true) with check (true);
grant select, insert, update, delete on wechat_accounts to :app, :system;
