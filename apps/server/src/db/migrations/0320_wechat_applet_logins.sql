-- End users who sign in to their company's mini-program with WeChat.
create table wechat_applet_logins (
  applet_id uuid not null references wechat_applets (id) on delete cascade,
  openid text not null,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null references logins (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (applet_id, openid)
);
create unique index wechat_applet_logins_login_key on wechat_applet_logins (applet_id, login_id);
create index wechat_applet_logins_of_idx on wechat_applet_logins (login_id);
alter table wechat_applet_logins enable row level security;
create policy tenant_own on wechat_applet_logins to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on wechat_applet_logins as restrictive to :app
  using ((select scope_open()) or login_id = (select current_actor())) with check ((select scope_open()) or login_id = (select current_actor()));
create policy system_all on wechat_applet_logins to :system using (true) with check (true);
grant select, insert, delete on wechat_applet_logins to :app;
grant select, insert, update, delete on wechat_applet_logins to :system;
