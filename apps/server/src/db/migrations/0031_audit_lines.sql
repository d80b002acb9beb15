-- Each line of the operation log is authenticated by the application when it is written (docs/adr/0026).

-- HMAC over all columns of the line, its time too, with a key that is not in the database; null: written by an earlier version
alter table audit_logs add column mac bytea check (length(mac) = 32);

-- Up to which place of a company's chain lines are from before that. Made once, before the first line with a MAC; the
-- row of no company (all zeros) says that it was made, and shows everybody with which key.
create table audit_epochs (
  tenant_id uuid primary key,
  seq bigint not null,
  hash bytea not null,
  seal bytea not null,
  at timestamptz not null default now()
);
alter table audit_epochs enable row level security;
create policy tenant_read on audit_epochs for select to :app using (
  tenant_id in ((select current_tenant()), '00000000-0000-0000-0000-000000000000'));
create policy system_read on audit_epochs for select to :system using (true);
create policy system_write on audit_epochs for insert to :system with check (true);
grant select on audit_epochs to :app;
grant select, insert on audit_epochs to :system;
