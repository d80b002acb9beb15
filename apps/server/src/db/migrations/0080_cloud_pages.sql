-- Cloud pages (docs/adr/0052-cloud-pages.md): what a company's customers look at, at page/{suffix}.

-- The end users below the caller. They are known from 0055 on, which is looked up when somebody asks.
create function page_owners() returns uuid[] language plpgsql stable parallel safe
  as $$ begin return scope_user_ids(); end $$;
revoke execute on function page_owners() from public;
grant execute on function page_owners() to :app;

create table cloud_pages (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  suffix text not null,
  kind text not null check (kind in ('canvas', 'grid', 'map', 'phone')),
  state text not null default 'draft' check (state in ('draft', 'published', 'withdrawn')),
  visibility text not null default 'public' check (visibility in ('public', 'passcode', 'link', 'signed_in', 'roles')),
  control text not null default 'none' check (control in ('none', 'pin', 'signed_in')),
  role_ids uuid[] not null default '{}',
  -- salt$hash by scrypt
  passcode_hash text,
  pin_hash text,
  -- the draft, as packages/scene reads it
  scene jsonb not null,
  width int not null,
  height int not null,
  nodes int not null default 0,
  cover text,
  published_no int,
  published_at timestamptz,
  -- the draft is not what visitors see
  changed boolean not null default false,
  -- tickets given before it went up are good no longer
  epoch int not null default 1,
  saved_by_name text not null default '',
  created_by uuid default current_actor(),
  created_by_name text not null default '',
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);
create index cloud_pages_list_idx on cloud_pages (tenant_id, created_at desc, id desc);
alter table cloud_pages enable row level security;
create policy tenant_own on cloud_pages to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- Who sees a part of the company sees what he, or an end user below him, made.
create policy in_scope on cloud_pages as restrictive to :app
  using ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select page_owners())::uuid[]))
  with check ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select page_owners())::uuid[]));
create policy system_all on cloud_pages to :system using (true) with check (true);
grant select, insert, update, delete on cloud_pages to :app, :system;

-- Addresses of all companies: the one that a page has now, and those that it had.
create table cloud_page_addresses (
  suffix text primary key check (suffix ~ '^[a-z0-9-]{4,32}$'),
  tenant_id uuid not null references tenants (id),
  page_id uuid not null references cloud_pages (id) on delete cascade,
  since timestamptz not null default now()
);
create index cloud_page_addresses_page_idx on cloud_page_addresses (page_id);
alter table cloud_page_addresses enable row level security;
create policy tenant_own on cloud_page_addresses to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on cloud_page_addresses as restrictive to :app
  using ((select scope_open()) or exists (select 1 from cloud_pages p where p.id = page_id))
  with check ((select scope_open()) or exists (select 1 from cloud_pages p where p.id = page_id));
create policy system_all on cloud_page_addresses to :system using (true) with check (true);
grant select, insert, update, delete on cloud_page_addresses to :app, :system;

create table cloud_page_versions (
  page_id uuid not null references cloud_pages (id) on delete cascade,
  no int not null,
  tenant_id uuid not null references tenants (id),
  scene jsonb not null,
  note text not null default '',
  nodes int not null default 0,
  added int not null default 0,
  removed int not null default 0,
  changed int not null default 0,
  -- with whose rights its devices are read and written
  created_by uuid,
  created_by_name text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  primary key (page_id, no)
);
alter table cloud_page_versions enable row level security;
create policy tenant_own on cloud_page_versions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on cloud_page_versions as restrictive to :app
  using ((select scope_open()) or exists (select 1 from cloud_pages p where p.id = page_id))
  with check ((select scope_open()) or exists (select 1 from cloud_pages p where p.id = page_id));
create policy system_all on cloud_page_versions to :system using (true) with check (true);
grant select, insert on cloud_page_versions to :app;
grant select, insert, update, delete on cloud_page_versions to :system;

create table cloud_page_links (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  page_id uuid not null references cloud_pages (id) on delete cascade,
  name text not null,
  -- SHA-256 of 256 random bits
  token_hash bytea not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_by_name text not null default '',
  created_at timestamptz not null default clock_timestamp()
);
create index cloud_page_links_page_idx on cloud_page_links (page_id, created_at desc);
alter table cloud_page_links enable row level security;
create policy tenant_own on cloud_page_links to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on cloud_page_links as restrictive to :app
  using ((select scope_open()) or exists (select 1 from cloud_pages p where p.id = page_id))
  with check ((select scope_open()) or exists (select 1 from cloud_pages p where p.id = page_id));
create policy system_all on cloud_page_links to :system using (true) with check (true);
grant select, insert, update on cloud_page_links to :app;
grant select, insert, update, delete on cloud_page_links to :system;

-- How often a page was opened.
create table cloud_page_visits (
  page_id uuid primary key references cloud_pages (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  n bigint not null default 0
);
alter table cloud_page_visits enable row level security;
create policy tenant_own on cloud_page_visits to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on cloud_page_visits as restrictive to :app
  using ((select scope_open()) or exists (select 1 from cloud_pages p where p.id = page_id))
  with check ((select scope_open()) or exists (select 1 from cloud_pages p where p.id = page_id));
create policy system_all on cloud_page_visits to :system using (true) with check (true);
grant select on cloud_page_visits to :app;
grant select, insert, update, delete on cloud_page_visits to :system;

-- Wrong passcodes and PINs, by the network of who tried; `*` counts those of everybody.
create table cloud_page_tries (
  page_id uuid not null references cloud_pages (id) on delete cascade,
  kind text not null check (kind in ('passcode', 'pin')),
  who text not null,
  tries int not null default 0,
  until timestamptz not null,
  primary key (page_id, kind, who)
);
alter table cloud_page_tries enable row level security;
create policy system_all on cloud_page_tries to :system using (true) with check (true);
grant select, insert, update, delete on cloud_page_tries to :system;
