-- Timed tasks, scenes and calendars (docs/adr/0049-schedules.md): what is done when, and what came of it.

-- The end users below the caller. They are known from 0055 on, which is looked up when somebody asks.
create function timed_task_owners() returns uuid[] language plpgsql stable parallel safe
  as $$ begin return scope_user_ids(); end $$;
revoke execute on function timed_task_owners() from public;
grant execute on function timed_task_owners() to :app;

create table calendars (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  -- local days: free ones, and working days at a weekend
  holidays date[] not null default '{}',
  workdays date[] not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);
create unique index calendars_name_key on calendars (tenant_id, lower(name));
alter table calendars enable row level security;
create policy tenant_own on calendars to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on calendars to :system using (true) with check (true);
grant select, insert, update, delete on calendars to :app, :system;

create table scenes (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  description text not null default '',
  -- commands and delays, in order
  actions jsonb not null,
  created_by uuid default current_actor(),
  created_by_name text not null default '',
  last_run_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);
create index scenes_list_idx on scenes (tenant_id, created_at desc, id desc);
alter table scenes enable row level security;
create policy tenant_own on scenes to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- As with triggers: who sees a part of the company sees what he, or an end user below him, made.
create policy in_scope on scenes as restrictive to :app
  using ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select timed_task_owners())::uuid[]))
  with check ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select timed_task_owners())::uuid[]));
create policy system_all on scenes to :system using (true) with check (true);
grant select, insert, update, delete on scenes to :app, :system;

create table timed_tasks (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  description text not null default '',
  -- as packages/schedules reads it
  schedule jsonb not null,
  kind text not null,
  calendar_id uuid references calendars (id),
  -- commands, delays and scenes, in order; of a pair those of on
  actions jsonb not null,
  off_actions jsonb not null default '[]',
  -- scenes that its actions name
  scene_ids uuid[] not null default '{}',
  misfire text not null default 'skip' check (misfire in ('skip', 'once')),
  misfire_minutes int not null default 0,
  enabled boolean not null default true,
  -- {code, params}: why it runs no longer
  fault jsonb,
  -- null: nothing more comes
  next_run timestamptz,
  created_by uuid default current_actor(),
  created_by_name text not null default '',
  last_run_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);
create index timed_tasks_list_idx on timed_tasks (tenant_id, created_at desc, id desc);
create index timed_tasks_due_idx on timed_tasks (next_run) where enabled and fault is null;
create index timed_tasks_scenes_idx on timed_tasks using gin (scene_ids);
create index timed_tasks_calendar_idx on timed_tasks (calendar_id) where calendar_id is not null;
alter table timed_tasks enable row level security;
create policy tenant_own on timed_tasks to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on timed_tasks as restrictive to :app
  using ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select timed_task_owners())::uuid[]))
  with check ((select scope_open()) or created_by = (select current_actor()) or created_by = any ((select timed_task_owners())::uuid[]));
create policy system_all on timed_tasks to :system using (true) with check (true);
grant select, insert, update, delete on timed_tasks to :app, :system;

-- ───────────── what was done ─────────────
create table timed_task_runs (
  id uuid primary key,
  tenant_id uuid not null,
  -- of a task, or of a scene that was run by itself
  task_id uuid references timed_tasks (id) on delete cascade,
  scene_id uuid references scenes (id) on delete cascade,
  name text not null,
  cause text not null check (cause in ('schedule', 'manual', 'trigger')),
  edge text check (edge in ('on', 'off')),
  -- with whose rights; null: the company's own
  owner_id uuid,
  by_name text not null default '',
  due_at timestamptz not null,
  -- runs that were due before it while nobody was there
  missed int not null default 0,
  state text not null default 'pending' check (state in ('pending', 'running', 'done', 'partial', 'failed', 'skipped')),
  -- {code, params}: why it was skipped or failed as a whole
  fault jsonb,
  -- when somebody has to look at it next: the next step is due, or whoever took it did not come back
  next_at timestamptz,
  attempts int not null default 0,
  expires_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  check (task_id is not null or scene_id is not null)
);
-- What is due is run once, whoever takes it.
create unique index timed_task_runs_due_key on timed_task_runs (task_id, due_at, edge) nulls not distinct where cause = 'schedule';
create index timed_task_runs_open_idx on timed_task_runs (next_at) where state in ('pending', 'running');
create index timed_task_runs_task_idx on timed_task_runs (task_id, due_at desc, id desc) where task_id is not null;
create index timed_task_runs_scene_idx on timed_task_runs (scene_id, due_at desc, id desc) where scene_id is not null;
create index timed_task_runs_list_idx on timed_task_runs (tenant_id, due_at desc, id desc);
create index timed_task_runs_at_idx on timed_task_runs (due_at);
alter table timed_task_runs enable row level security;
create policy tenant_own on timed_task_runs to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on timed_task_runs as restrictive to :app
  using ((select scope_open()) or exists (select 1 from timed_tasks t where t.id = task_id) or exists (select 1 from scenes s where s.id = scene_id))
  with check ((select scope_open()) or exists (select 1 from timed_tasks t where t.id = task_id) or exists (select 1 from scenes s where s.id = scene_id));
create policy system_all on timed_task_runs to :system using (true) with check (true);
grant select, insert, update on timed_task_runs to :app;
grant select, insert, update, delete on timed_task_runs to :system;

create table timed_task_steps (
  id uuid primary key,
  tenant_id uuid not null,
  run_id uuid not null references timed_task_runs (id) on delete cascade,
  index smallint not null,
  -- a command or a delay; scenes are written out
  action jsonb not null,
  scene_name text,
  due_at timestamptz not null,
  result text not null default 'pending' check (result in ('pending', 'done', 'partial', 'failed', 'skipped')),
  fault jsonb,
  done int not null default 0,
  failed int not null default 0,
  skipped int not null default 0,
  finished_at timestamptz,
  unique (run_id, index)
);
alter table timed_task_steps enable row level security;
create policy tenant_own on timed_task_steps to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on timed_task_steps as restrictive to :app
  using ((select scope_open()) or exists (select 1 from timed_task_runs r where r.id = run_id))
  with check ((select scope_open()) or exists (select 1 from timed_task_runs r where r.id = run_id));
create policy system_all on timed_task_steps to :system using (true) with check (true);
grant select, insert on timed_task_steps to :app;
grant select, insert, update, delete on timed_task_steps to :system;

-- One line for each device of a step, written with its command: what was done is not done again.
create table timed_task_results (
  step_id uuid not null references timed_task_steps (id) on delete cascade,
  device_id uuid not null,
  tenant_id uuid not null,
  device_name text not null,
  result text not null check (result in ('done', 'failed', 'skipped')),
  fault jsonb,
  command_id uuid,
  at timestamptz not null default clock_timestamp(),
  primary key (step_id, device_id)
);
alter table timed_task_results enable row level security;
create policy tenant_own on timed_task_results to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on timed_task_results as restrictive to :app
  using ((select scope_open()) or exists (select 1 from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select 1 from devices d where d.id = device_id));
create policy system_all on timed_task_results to :system using (true) with check (true);
grant select, insert on timed_task_results to :app;
grant select, insert, update, delete on timed_task_results to :system;
