-- Mini-programs of companies, published through the installation's third-party platform at WeChat.
create table wechat_platforms (
  app_id text primary key,
  -- component_verify_ticket, sealed
  ticket_cipher bytea not null,
  ticket_at timestamptz not null
);
alter table wechat_platforms enable row level security;
create policy system_all on wechat_platforms to :system using (true) with check (true);
grant select, insert, update, delete on wechat_platforms to :system;

create table wechat_applets (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  mode text not null check (mode in ('platform', 'own')),
  state text not null default 'none' check (state in ('none', 'authorized', 'invalid', 'cancelled')),
  app_id text,
  -- the refresh token of an authorisation, or the secret of a company's own app id; sealed
  secret_cipher bytea,
  -- of an authorisation under way, hashed
  nonce_hash bytea,
  nonce_expires_at timestamptz,
  permissions int[] not null default '{}',
  -- what WeChat says of it
  info jsonb,
  info_at timestamptz,
  fault text,
  authorized_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index wechat_applets_tenant_key on wechat_applets (tenant_id);
create unique index wechat_applets_app_key on wechat_applets (app_id) where state = 'authorized';
create index wechat_applets_nonce_idx on wechat_applets (nonce_hash) where nonce_hash is not null;
alter table wechat_applets enable row level security;
create policy tenant_own on wechat_applets to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on wechat_applets as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on wechat_applets to :system using (true) with check (true);
grant select, insert, update, delete on wechat_applets to :app, :system;

create table wechat_applet_versions (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  applet_id uuid not null references wechat_applets (id) on delete cascade,
  template_id text not null,
  user_version text not null,
  user_desc text not null default '',
  ext jsonb not null default '{}',
  state text not null check (state in ('uploaded', 'auditing', 'delayed', 'refused', 'withdrawn', 'passed', 'released', 'replaced', 'rolled_back')),
  audit_id text,
  reason text,
  submitted_at timestamptz,
  decided_at timestamptz,
  released_at timestamptz,
  by_name text not null,
  created_at timestamptz not null default clock_timestamp()
);
create index wechat_applet_versions_list_idx on wechat_applet_versions (applet_id, created_at desc, id desc);
create unique index wechat_applet_versions_open_key on wechat_applet_versions (applet_id) where state in ('auditing', 'delayed');
alter table wechat_applet_versions enable row level security;
create policy tenant_own on wechat_applet_versions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on wechat_applet_versions as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on wechat_applet_versions to :system using (true) with check (true);
grant select, insert, update, delete on wechat_applet_versions to :app, :system;

create table wechat_applet_testers (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  applet_id uuid not null references wechat_applets (id) on delete cascade,
  wechat_id text not null,
  user_str text not null,
  created_at timestamptz not null default now()
);
create unique index wechat_applet_testers_key on wechat_applet_testers (applet_id, wechat_id);
alter table wechat_applet_testers enable row level security;
create policy tenant_own on wechat_applet_testers to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on wechat_applet_testers as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on wechat_applet_testers to :system using (true) with check (true);
grant select, insert, update, delete on wechat_applet_testers to :app, :system;
