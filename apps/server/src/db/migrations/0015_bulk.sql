-- Devices in bulk: batches over a fleet, tables of devices to be imported.

-- A batch: which devices (as they were chosen), what is done with each, how far it is. `done` and `failed` are written in
-- the transaction of the change itself, so a batch that goes on after a kill repeats nothing.
create table device_batches (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  action text not null,
  change jsonb not null,
  nums int4[] not null,
  done int not null default 0,
  failed int4[] not null default '{}',
  task_id uuid,
  retry_of uuid,
  created_by uuid,
  created_at timestamptz not null default now()
);
create index device_batches_tenant_idx on device_batches (tenant_id, created_at);
alter table device_batches enable row level security;
create policy tenant_own on device_batches to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on device_batches to :system using (true) with check (true);
grant select, insert, update, delete on device_batches to :app, :system;

-- A device that becomes one of another product is counted and listed there.
create function device_changed_product() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update device_presence set product_num = new.product_num where device = new.num;
  return null;
end $$;
create trigger device_changed_product after update of product_num on devices for each row
  when (old.product_num is distinct from new.product_num) execute function device_changed_product();

-- An uploaded table, read once and kept as lines of JSON in the object store until it is imported; a day at most.
create table device_import_files (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  size bigint not null,
  -- what was found: [{sheet, rows, columns}]
  tables jsonb not null,
  object_key text not null,
  created_by uuid,
  created_at timestamptz not null default now()
);
create index device_import_files_tenant_idx on device_import_files (tenant_id, created_at);
alter table device_import_files enable row level security;
create policy tenant_own on device_import_files to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on device_import_files to :system using (true) with check (true);
grant select, insert, delete on device_import_files to :app, :system;

-- One run of an import. The secrets of the devices it made are handed out once; they are not kept here but sealed with
-- the devices, so what is left of an import is a list of numbers.
create table device_imports (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  file_id uuid not null,
  task_id uuid,
  dry_run boolean not null,
  -- lines that are behind it, written with the devices of these lines
  done int not null default 0,
  created_count int not null default 0,
  updated_count int not null default 0,
  skipped_count int not null default 0,
  secrets_taken_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default now()
);
create index device_imports_tenant_idx on device_imports (tenant_id, created_at);
alter table device_imports enable row level security;
create policy tenant_own on device_imports to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on device_imports to :system using (true) with check (true);
grant select, insert, update, delete on device_imports to :app, :system;

-- What a part of an import came to: the devices it made, and the lines that failed with their reasons.
create table device_import_parts (
  import_id uuid not null references device_imports (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  -- first line of the part
  line int not null,
  nums int4[] not null,
  failed jsonb not null default '[]',
  primary key (import_id, line)
);
alter table device_import_parts enable row level security;
create policy tenant_own on device_import_parts to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on device_import_parts to :system using (true) with check (true);
grant select, insert, delete on device_import_parts to :app, :system;
