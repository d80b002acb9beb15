-- Materials and delivery addresses of a company.

-- ───────────── folders ─────────────
create table media_folders (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  parent_id uuid references media_folders (id),
  name text not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index media_folders_name_key on media_folders (tenant_id, parent_id, name) nulls not distinct;
create index media_folders_parent_idx on media_folders (parent_id) where parent_id is not null;
alter table media_folders enable row level security;
create policy tenant_own on media_folders to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on media_folders to :system using (true) with check (true);
grant select, insert, update, delete on media_folders to :app, :system;

-- ───────────── bytes ─────────────
-- Bytes that lie in the object store: the same bytes once for each company, so that nobody learns what another one has.
create table media_blobs (
  tenant_id uuid not null references tenants (id),
  sha256 bytea not null check (length(sha256) = 32),
  size bigint not null check (size > 0),
  -- made new for every upload and never used again: whoever removes an old object cannot hit a new one
  object_key text not null unique,
  -- null: not made yet; '' : cannot be made of these bytes
  thumb_key text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, sha256)
);
alter table media_blobs enable row level security;
create policy tenant_own on media_blobs to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on media_blobs to :system using (true) with check (true);
grant select, insert, update, delete on media_blobs to :app, :system;

-- Objects that belong to nothing yet or any more: written before an upload begins, deleted in the transaction that takes
-- the object into use. What is still here after an hour is removed from the store.
create table media_leftovers (
  object_key text primary key,
  tenant_id uuid not null references tenants (id),
  since timestamptz not null default now()
);
create index media_leftovers_since_idx on media_leftovers (since);
alter table media_leftovers enable row level security;
create policy tenant_own on media_leftovers to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on media_leftovers to :system using (true) with check (true);
grant select, insert, update, delete on media_leftovers to :app, :system;

-- ───────────── materials ─────────────
create table media (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  folder_id uuid references media_folders (id),
  name text not null,
  kind text not null check (kind in ('image', 'svg', 'audio', 'video', 'file')),
  content_type text not null,
  sha256 bytea not null,
  size bigint not null,
  width int,
  height int,
  tags text[] not null default '{}',
  public boolean not null default false,
  search_text text not null,
  created_by uuid,
  created_by_name text not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (tenant_id, sha256) references media_blobs (tenant_id, sha256)
);
create index media_created_idx on media (tenant_id, created_at, id);
create index media_folder_idx on media (folder_id) where folder_id is not null;
create index media_blob_idx on media (tenant_id, sha256);
alter table media enable row level security;
create policy tenant_own on media to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on media to :system using (true) with check (true);
grant select, insert, update, delete on media to :app, :system;

-- Who uses a material: it cannot be removed as long as somebody does.
create table media_uses (
  media_id uuid not null references media (id),
  object_type text not null,
  object_id text not null,
  tenant_id uuid not null references tenants (id),
  label text not null,
  at timestamptz not null default now(),
  primary key (media_id, object_type, object_id)
);
create index media_uses_object_idx on media_uses (tenant_id, object_type, object_id);
alter table media_uses enable row level security;
create policy tenant_own on media_uses to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on media_uses to :system using (true) with check (true);
grant select, insert, update, delete on media_uses to :app, :system;

-- ───────────── delivery addresses ─────────────
create table addresses (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  receiver text not null,
  phone text not null,
  province text not null,
  city text not null,
  district text not null,
  detail text not null,
  zip text not null default '',
  is_default boolean not null default false,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- at most one; the service sees to it that there is one as soon as there is an address
create unique index addresses_default_key on addresses (tenant_id) where is_default;
create index addresses_tenant_idx on addresses (tenant_id, created_at, id);
alter table addresses enable row level security;
create policy tenant_own on addresses to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on addresses to :system using (true) with check (true);
grant select, insert, update, delete on addresses to :app, :system;
