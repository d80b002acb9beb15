-- Who follows an official account, whom of the contacts they are, and what the account answers by itself.
alter table wechat_accounts add column menu jsonb;

create table wechat_followers (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  account_id uuid not null references wechat_accounts (id) on delete cascade,
  openid text not null,
  nickname text not null default '',
  subscribed boolean not null,
  subscribed_at timestamptz,
  contact_id uuid references contacts (id) on delete set null,
  bound_at timestamptz,
  last_at timestamptz not null,
  created_at timestamptz not null default now()
);
create unique index wechat_followers_openid_key on wechat_followers (account_id, openid);
create unique index wechat_followers_contact_key on wechat_followers (account_id, contact_id) where contact_id is not null;
create index wechat_followers_list_idx on wechat_followers (account_id, created_at desc, id desc);
alter table wechat_followers enable row level security;
create policy tenant_own on wechat_followers to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on wechat_followers as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on wechat_followers to :system using (true) with check (true);
grant select, insert, update, delete on wechat_followers to :app, :system;

-- QR codes that bind whoever scans them to a contact.
create table wechat_scenes (
  scene text primary key,
  tenant_id uuid not null references tenants (id),
  account_id uuid not null references wechat_accounts (id) on delete cascade,
  contact_id uuid not null references contacts (id) on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now()
);
create index wechat_scenes_expires_idx on wechat_scenes (expires_at);
alter table wechat_scenes enable row level security;
create policy tenant_own on wechat_scenes to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on wechat_scenes as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on wechat_scenes to :system using (true) with check (true);
grant select, insert, update, delete on wechat_scenes to :app, :system;

create table wechat_replies (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  account_id uuid not null references wechat_accounts (id) on delete cascade,
  place int not null,
  kind text not null check (kind in ('follow', 'keyword', 'other')),
  keyword text not null default '',
  whole boolean not null default false,
  answer text not null,
  enabled boolean not null default true
);
create index wechat_replies_account_idx on wechat_replies (account_id, place);
alter table wechat_replies enable row level security;
create policy tenant_own on wechat_replies to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on wechat_replies as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on wechat_replies to :system using (true) with check (true);
grant select, insert, update, delete on wechat_replies to :app, :system;
