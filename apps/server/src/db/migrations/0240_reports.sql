-- Reports: what is made as a file and mailed on a schedule, and what came of it.
create table reports (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  description text not null default '',
  -- {kind: list | overview | telemetry | page, …}
  source jsonb not null,
  kind text not null check (kind in ('list', 'overview', 'telemetry', 'page')),
  format text not null check (format in ('xlsx', 'pdf')),
  schedule jsonb not null,
  locale text not null check (locale in ('zh', 'en')),
  period text check (period in ('yesterday', 'last_7_days', 'last_month')),
  -- [{kind: member | contact | mail, id or address}]
  recipients jsonb not null,
  misfire text not null default 'once' check (misfire in ('skip', 'once')),
  misfire_minutes int not null default 720 check (misfire_minutes between 1 and 1440),
  enabled boolean not null default true,
  -- {code, params}: why it does not run any more
  fault jsonb,
  next_run timestamptz,
  last_run_at timestamptz,
  -- whose rights the file is made with
  created_by uuid default current_actor(),
  created_by_name text not null default '',
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);
create index reports_list_idx on reports (tenant_id, created_at desc, id desc);
create index reports_due_idx on reports (next_run) where enabled and fault is null and next_run is not null;
alter table reports enable row level security;
create policy tenant_own on reports to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- Who sees a part of the company sees the reports that are his.
create policy in_scope on reports as restrictive to :app
  using ((select scope_open()) or created_by = (select current_actor()))
  with check ((select scope_open()) or created_by = (select current_actor()));
create policy system_all on reports to :system using (true) with check (true);
grant select, insert, update, delete on reports to :app, :system;

create table report_runs (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  report_id uuid not null references reports (id) on delete cascade,
  cause text not null check (cause in ('schedule', 'manual')),
  by_name text not null default '',
  due_at timestamptz not null,
  -- runs that were due before it while the server was down
  missed int not null default 0,
  state text not null default 'pending' check (state in ('pending', 'running', 'done', 'partial', 'failed', 'skipped')),
  -- {code, params}: why it was skipped or failed
  fault jsonb,
  -- the task that makes the file
  task_id uuid,
  file_name text,
  size bigint,
  rows int,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
-- What is due is run once, whichever process takes it.
create unique index report_runs_due_key on report_runs (report_id, due_at) where cause = 'schedule';
create index report_runs_open_idx on report_runs (created_at) where state in ('pending', 'running');
create index report_runs_of_idx on report_runs (report_id, due_at desc, id desc);
create index report_runs_list_idx on report_runs (tenant_id, due_at desc, id desc);
alter table report_runs enable row level security;
create policy tenant_own on report_runs to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on report_runs as restrictive to :app
  using ((select scope_open()) or exists (select 1 from reports r where r.id = report_id))
  with check ((select scope_open()) or exists (select 1 from reports r where r.id = report_id));
create policy system_all on report_runs to :system using (true) with check (true);
grant select, insert, update on report_runs to :app;
grant select, insert, update, delete on report_runs to :system;

-- One line for each receiver of a run: who had the mail does not get it again.
create table report_mails (
  run_id uuid not null references report_runs (id) on delete cascade,
  place smallint not null,
  tenant_id uuid not null references tenants (id),
  name text not null default '',
  -- null: the receiver cannot be mailed any more
  address text,
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
  reason text,
  -- the file was too large for a mail
  as_link boolean not null default false,
  sent_at timestamptz,
  primary key (run_id, place)
);
alter table report_mails enable row level security;
create policy tenant_own on report_mails to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on report_mails as restrictive to :app
  using ((select scope_open()) or exists (select 1 from report_runs r where r.id = run_id))
  with check ((select scope_open()) or exists (select 1 from report_runs r where r.id = run_id));
create policy system_all on report_mails to :system using (true) with check (true);
grant select, insert, update on report_mails to :app;
grant select, insert, update, delete on report_mails to :system;
