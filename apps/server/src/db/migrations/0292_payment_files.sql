-- Pictures of the vouchers of bank transfers, for the operator who looks whether the money has come.
create table payment_files (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  content_type text not null,
  size bigint not null,
  object_key text not null,
  created_at timestamptz not null default now()
);
create index payment_files_tenant_idx on payment_files (tenant_id);
alter table payment_files enable row level security;
create policy tenant_own on payment_files to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on payment_files to :system using (true) with check (true);
grant select, insert on payment_files to :app, :system;
grant delete on payment_files to :system;
