-- Companies: profile, settings, states, licence verification, quotas and usage, support access, announcements.

-- ───────────── company ─────────────
alter table tenants add column if not exists settings jsonb not null default '{}';
alter table tenants
  add column if not exists contact_name text not null default '',
  add column if not exists contact_phone text not null default '',
  add column if not exists contact_email text not null default '',
  add column if not exists industry text not null default '',
  add column if not exists region text not null default '',
  -- null: 7 days for a paid company, none for a trial
  add column if not exists grace_days int check (grace_days between 0 and 90),
  add column if not exists grace_ends_at timestamptz,
  add column if not exists frozen_reason text,
  -- what a frozen company was, so that unfreezing gives it back
  add column if not exists status_before text;
-- A company changes what is its own to change; its state, its term and its app id are the operator's.
create policy tenant_change on tenants for update to :app
  using (id = (select current_tenant())) with check (id = (select current_tenant()));
grant update (name, time_zone, branding, settings, contact_name, contact_phone, contact_email, industry, region, version, updated_at)
  on tenants to :app;
create index tenants_expiry_idx on tenants (expires_at) where status in ('trial', 'active', 'grace');

-- ───────────── usage ─────────────
-- What a company holds of what is too many to be counted at every change. Kept by triggers, so that no way in is forgotten.
create table tenant_usage (
  tenant_id uuid not null,
  kind text not null,
  used bigint not null default 0,
  primary key (tenant_id, kind)
);
alter table tenant_usage enable row level security;
create policy tenant_own on tenant_usage for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on tenant_usage to :system using (true) with check (true);
grant select on tenant_usage to :app, :system;

create function add_usage(tenant uuid, what text, more bigint) returns void language sql security definer
set search_path = public, pg_temp as $$
  insert into tenant_usage (tenant_id, kind, used) values (tenant, what, more)
  on conflict (tenant_id, kind) do update set used = tenant_usage.used + excluded.used
$$;
revoke execute on function add_usage(uuid, text, bigint) from public;

-- By statement: a thousand devices in one statement are one step. The recycle bin does not count.
create function devices_counted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    perform add_usage(tenant_id, 'devices', count(*)) from added where recycled_at is null group by tenant_id;
  else
    perform add_usage(tenant_id, 'devices', -count(*)) from removed where recycled_at is null group by tenant_id;
  end if;
  return null;
end $$;
create trigger devices_added after insert on devices referencing new table as added
  for each statement execute function devices_counted();
create trigger devices_removed after delete on devices referencing old table as removed
  for each statement execute function devices_counted();
create function device_recycling_counted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform add_usage(new.tenant_id, 'devices', case when new.recycled_at is null then 1 else -1 end);
  return null;
end $$;
create trigger device_recycled after update of recycled_at on devices for each row
  when ((old.recycled_at is null) is distinct from (new.recycled_at is null)) execute function device_recycling_counted();
-- few of these are made at a time
create function products_counted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform add_usage(new.tenant_id, 'products', case when new.deleted_at is null then 1 else -1 end);
  return null;
end $$;
create trigger product_added after insert on products for each row when (new.deleted_at is null)
  execute function products_counted();
create trigger product_deleted after update of deleted_at on products for each row
  when ((old.deleted_at is null) is distinct from (new.deleted_at is null)) execute function products_counted();
create function members_counted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'INSERT' and old.kind = 'member' and old.state <> 'left' then perform add_usage(old.tenant_id, 'members', -1); end if;
  if tg_op <> 'DELETE' and new.kind = 'member' and new.state <> 'left' then perform add_usage(new.tenant_id, 'members', 1); end if;
  return null;
end $$;
create trigger member_added after insert or delete on logins for each row execute function members_counted();
create trigger member_changed after update of state, kind, tenant_id on logins for each row
  when ((old.state, old.kind, old.tenant_id) is distinct from (new.state, new.kind, new.tenant_id))
  execute function members_counted();
insert into tenant_usage (tenant_id, kind, used)
  select tenant_id, 'devices', count(*) from devices where recycled_at is null group by tenant_id
  union all select tenant_id, 'products', count(*) from products where deleted_at is null group by tenant_id
  union all select tenant_id, 'members', count(*) from logins where kind = 'member' and state <> 'left' group by tenant_id;

-- what a company was already told, so that it is told once: a term that ends, a quota that fills
create table tenant_warnings (
  tenant_id uuid not null references tenants (id),
  kind text not null,
  about text not null,
  told_at timestamptz not null default now(),
  primary key (tenant_id, kind)
);
alter table tenant_warnings enable row level security;
create policy tenant_own on tenant_warnings to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on tenant_warnings to :system using (true) with check (true);
grant select, insert, update, delete on tenant_warnings to :app, :system;

-- ───────────── licence ─────────────
-- files of a company that are not materials: licences, packed companies; their bytes are in the object store
create table company_files (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  purpose text not null check (purpose in ('licence', 'import')),
  name text not null,
  content_type text not null,
  size bigint not null check (size >= 0),
  sha256 bytea not null,
  object_key text not null,
  created_by uuid,
  created_at timestamptz not null default now()
);
create index company_files_tenant_idx on company_files (tenant_id, purpose, created_at desc);
alter table company_files enable row level security;
create policy tenant_own on company_files to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on company_files to :system using (true) with check (true);
grant select, insert, delete on company_files to :app, :system;

create table company_verifications (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  status text not null default 'in_review' check (status in ('in_review', 'verified', 'rejected')),
  legal_name text not null,
  -- unified social credit code, GB 32100-2015
  credit_code text not null,
  legal_person text not null default '',
  note text not null default '',
  file_ids uuid[] not null,
  reason text,
  submitted_by text not null,
  submitted_at timestamptz not null default now(),
  decided_by text,
  decided_at timestamptz,
  check ((status = 'in_review') = (decided_at is null)),
  check (status <> 'rejected' or reason is not null)
);
create unique index company_verifications_open_key on company_verifications (tenant_id) where status = 'in_review';
create index company_verifications_tenant_idx on company_verifications (tenant_id, submitted_at desc, id desc);
create index company_verifications_status_idx on company_verifications (status, submitted_at, id);
alter table company_verifications enable row level security;
create policy tenant_read on company_verifications for select to :app using (tenant_id = (select current_tenant()));
-- a company hands in; what becomes of it is the operator's word
create policy tenant_submit on company_verifications for insert to :app
  with check (tenant_id = (select current_tenant()) and status = 'in_review');
create policy system_all on company_verifications to :system using (true) with check (true);
grant select, insert on company_verifications to :app;
grant select, insert, update, delete on company_verifications to :system;

-- ───────────── support access ─────────────
-- An owner lets the platform's operators in for some hours. The grant itself is the consent; ending it ends their sessions.
create table support_grants (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  may_write boolean not null default false,
  granted_by uuid not null,
  granted_by_name text not null,
  granted_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  check (expires_at > granted_at)
);
create index support_grants_tenant_idx on support_grants (tenant_id, granted_at desc);
alter table support_grants enable row level security;
create policy tenant_own on support_grants to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on support_grants to :system using (true) with check (true);
grant select, insert, update on support_grants to :app;
grant select on support_grants to :system;

-- ───────────── announcements ─────────────
create table announcements (
  id uuid primary key,
  status text not null default 'draft' check (status in ('draft', 'published', 'withdrawn')),
  level text not null default 'info' check (level in ('info', 'warning', 'error')),
  title_zh text not null,
  title_en text not null,
  text_zh text not null default '',
  text_en text not null default '',
  -- null: every company; else companies in one of these states
  statuses text[],
  -- null: every company; else these
  tenant_ids uuid[],
  published_at timestamptz,
  expires_at timestamptz,
  created_by text not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index announcements_list_idx on announcements (created_at desc, id desc);
alter table announcements enable row level security;
-- a company sees what is published for it
create policy tenant_read on announcements for select to :app using (
  status = 'published' and (expires_at is null or expires_at > now())
  and (tenant_ids is null or (select current_tenant()) = any (tenant_ids))
  and (statuses is null or exists (select 1 from tenants t where t.id = (select current_tenant()) and t.status = any (statuses))));
create policy system_all on announcements to :system using (true) with check (true);
grant select on announcements to :app;
grant select, insert, update, delete on announcements to :system;
