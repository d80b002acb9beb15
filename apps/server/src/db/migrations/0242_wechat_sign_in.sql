-- End users who sign in to their portal with WeChat.
create table wechat_logins (
  account_id uuid not null references wechat_accounts (id) on delete cascade,
  openid text not null,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null references logins (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (account_id, openid)
);
create unique index wechat_logins_login_key on wechat_logins (account_id, login_id);
create index wechat_logins_of_idx on wechat_logins (login_id);
alter table wechat_logins enable row level security;
create policy tenant_own on wechat_logins to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on wechat_logins as restrictive to :app
  using ((select scope_open()) or login_id = (select current_actor())) with check ((select scope_open()) or login_id = (select current_actor()));
create policy system_all on wechat_logins to :system using (true) with check (true);
grant select, insert, delete on wechat_logins to :app;
grant select, insert, update, delete on wechat_logins to :system;

-- Sign-ins on their way through WeChat, each for the browser that began it.
create table wechat_flows (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  account_id uuid not null references wechat_accounts (id) on delete cascade,
  suffix text not null,
  state_hash bytea not null unique,
  browser_hash bytea not null,
  -- known once WeChat said it, of who is bound to nobody yet
  openid text,
  expires_at timestamptz not null
);
create index wechat_flows_browser_idx on wechat_flows (browser_hash);
create index wechat_flows_expires_idx on wechat_flows (expires_at);
alter table wechat_flows enable row level security;
create policy system_all on wechat_flows to :system using (true) with check (true);
grant select, insert, update, delete on wechat_flows to :system;
