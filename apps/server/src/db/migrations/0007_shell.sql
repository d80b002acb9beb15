-- What makes the console comfortable: the in-app inbox and saved views of lists.

-- ───────────── inbox ─────────────
-- One row per notice, whoever it is for: the named logins, all who hold a right, or (both null) everybody of the company.
create table notices (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  kind text not null check (kind <> ''),
  level text not null default 'info' check (level in ('info', 'warning', 'error')),
  title_zh text not null,
  title_en text not null,
  text_zh text not null default '',
  text_en text not null default '',
  -- an address of the console
  link text check (link like '/%' and link not like '//%'),
  login_ids uuid[],
  permission text,
  created_at timestamptz not null default now(),
  check (login_ids is null or permission is null)
);
create index notices_tenant_idx on notices (tenant_id, created_at desc, id desc);
alter table notices enable row level security;
create policy tenant_own on notices to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on notices to :system using (true) with check (true);
grant select, insert, delete on notices to :app, :system;

-- what a login did with a notice; no row: unread
create table notice_reads (
  notice_id uuid not null references notices (id) on delete cascade,
  login_id uuid not null references logins (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  read_at timestamptz not null default now(),
  removed_at timestamptz,
  primary key (login_id, notice_id)
);
create index notice_reads_notice_idx on notice_reads (notice_id);
alter table notice_reads enable row level security;
create policy tenant_own on notice_reads to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on notice_reads to :system using (true) with check (true);
grant select, insert, update, delete on notice_reads to :app, :system;

-- ───────────── saved views ─────────────
create table saved_views (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null references logins (id) on delete cascade,
  -- which list: the id the page gives it
  list text not null check (list ~ '^[a-z][a-z0-9-]{0,63}$'),
  name text not null,
  shared boolean not null default false,
  -- filters and order as the address holds them, columns, widths, density
  settings jsonb not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index saved_views_name_key on saved_views (login_id, list, name);
create index saved_views_list_idx on saved_views (tenant_id, list);
alter table saved_views enable row level security;
create policy tenant_own on saved_views to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on saved_views to :system using (true) with check (true);
grant select, insert, update, delete on saved_views to :app, :system;

-- the view a list opens with, per login
create table default_views (
  login_id uuid not null references logins (id) on delete cascade,
  list text not null,
  tenant_id uuid not null references tenants (id),
  view_id uuid not null references saved_views (id) on delete cascade,
  primary key (login_id, list)
);
create index default_views_view_idx on default_views (view_id);
alter table default_views enable row level security;
create policy tenant_own on default_views to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on default_views to :system using (true) with check (true);
grant select, insert, update, delete on default_views to :app, :system;
