-- The portal of a company for its end users: brand, host, certificate.
create table web_apps (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  suffix text not null,
  -- lower case, as a browser sends it
  host text,
  name text not null,
  name_en text not null default '',
  colour text,
  copyright text not null default '',
  icp text not null default '',
  language text not null default 'auto' check (language in ('auto', 'zh', 'en')),
  menus jsonb not null default '[{"section": "devices"}, {"section": "alarms"}, {"section": "account"}]',
  home text not null default 'devices',
  enabled boolean not null default false,
  certificate text,
  key_cipher bytea,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index web_apps_tenant_key on web_apps (tenant_id);
create unique index web_apps_suffix_key on web_apps (suffix);
create unique index web_apps_host_key on web_apps (host) where host is not null;
alter table web_apps enable row level security;
create policy tenant_own on web_apps to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on web_apps as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on web_apps to :system using (true) with check (true);
grant select, insert, update, delete on web_apps to :app, :system;

create table web_app_images (
  app_id uuid not null references web_apps (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  kind text not null check (kind in ('logo', 'favicon', 'background')),
  content_type text not null,
  bytes bytea not null,
  primary key (app_id, kind)
);
alter table web_app_images enable row level security;
create policy tenant_own on web_app_images to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on web_app_images as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on web_app_images to :system using (true) with check (true);
grant select, insert, update, delete on web_app_images to :app, :system;
