-- Triggers and alarms (docs/adr/0048-triggers-live.md): the rules of a company, what they raised, what was done about it.

create table triggers (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  description text not null default '',
  -- the rule, as packages/rules reads it
  document jsonb not null,
  kind text not null,
  enabled boolean not null default true,
  -- {code, params}: why it cannot be judged; code loop: its guard stopped it
  fault jsonb,
  expires_at timestamptz,
  -- secrets of its webhooks by place, sealed JSON
  secrets_cipher bytea,
  -- grows with the document alone: what was raised is named after it
  rule_version int not null default 1,
  created_by uuid default current_actor(),
  created_by_name text not null default '',
  last_run_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);
create index triggers_list_idx on triggers (tenant_id, created_at desc, id desc);
create index triggers_devices_idx on triggers using gin ((document #> '{scope,deviceIds}'));
alter table triggers enable row level security;
create policy tenant_own on triggers to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- Who sees a part of the company sees his own: what others watch may lie outside his part.
create policy in_scope on triggers as restrictive to :app
  using ((select scope_open()) or created_by = (select current_actor()))
  with check ((select scope_open()) or created_by = (select current_actor()));
create policy system_all on triggers to :system using (true) with check (true);
create policy telemetry_all on triggers to :telemetry using (true) with check (true);
grant select, insert, update, delete on triggers to :app, :system;
grant select on triggers to :telemetry;
grant update (fault, last_run_at, updated_at) on triggers to :telemetry;

-- ───────────── alarms ─────────────
create table alarms (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  trigger_id uuid references triggers (id) on delete set null,
  trigger_name text not null,
  -- of the rule, its version, target, lane and sequence: what is judged twice raises nothing twice
  origin text not null,
  -- -1: the trigger's own; else the place of its action that raised it
  slot smallint not null default -1,
  target_kind text not null check (target_kind in ('device', 'scope', 'sim', 'lora_gateway', 'camera', 'company')),
  target_id text not null,
  device int,
  device_id uuid references devices (id) on delete cascade,
  level smallint not null check (level between 1 and 5),
  active boolean not null default true,
  acknowledged_at timestamptz,
  acknowledged_name text,
  work text not null default 'open' check (work in ('open', 'in_progress', 'done', 'ignored')),
  assignee_id uuid references logins (id) on delete set null,
  count int not null default 1,
  raised_at timestamptz not null,
  last_at timestamptz not null,
  cleared_at timestamptz,
  cleared_by text check (cleared_by in ('condition', 'person', 'action', 'renewed', 'rule')),
  handled_at timestamptz,
  handled_name text,
  result text,
  photo_ids uuid[] not null default '{}',
  shelved_until timestamptz,
  suppressed boolean not null default false,
  merged int not null default 0,
  raise_values jsonb not null default '[]',
  clear_values jsonb not null default '[]',
  peak double precision,
  comments int not null default 0,
  check (active = (cleared_at is null))
);
-- One open alarm for a rule and target, whoever raises it.
create unique index alarms_open_key on alarms (trigger_id, slot, target_kind, target_id) where active;
create unique index alarms_origin_key on alarms (origin, slot);
create index alarms_raised_idx on alarms (tenant_id, raised_at desc, id desc);
create index alarms_active_idx on alarms (tenant_id, raised_at desc, id desc) where active;
create index alarms_last_idx on alarms (tenant_id, last_at desc, id desc);
create index alarms_level_idx on alarms (tenant_id, level desc, id desc) where active;
create index alarms_device_idx on alarms (device_id, raised_at desc, id desc);
create index alarms_trigger_idx on alarms (trigger_id, raised_at desc, id desc);
create index alarms_assignee_idx on alarms (assignee_id) where assignee_id is not null;
create index alarms_shelved_idx on alarms (shelved_until) where shelved_until is not null;
create index alarms_of_device_idx on alarms (device) where active;
alter table alarms enable row level security;
create policy tenant_own on alarms to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- An alarm is seen with its device; one of a whole scope with its trigger.
create policy in_scope on alarms as restrictive to :app
  using ((select scope_open())
    or case when device_id is null then exists (select 1 from triggers t where t.id = trigger_id)
       else exists (select 1 from devices d where d.id = device_id) end)
  with check ((select scope_open())
    or case when device_id is null then exists (select 1 from triggers t where t.id = trigger_id)
       else exists (select 1 from devices d where d.id = device_id) end);
create policy system_all on alarms to :system using (true) with check (true);
create policy telemetry_all on alarms to :telemetry using (true) with check (true);
grant select, insert, update on alarms to :app, :telemetry;
grant select, insert, update, delete on alarms to :system;

create table alarm_occurrences (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  alarm_id uuid not null references alarms (id) on delete cascade,
  at timestamptz not null,
  count int not null,
  values jsonb not null default '[]',
  unique (alarm_id, count)
);
alter table alarm_occurrences enable row level security;
create policy tenant_own on alarm_occurrences to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on alarm_occurrences as restrictive to :app
  using ((select scope_open()) or exists (select 1 from alarms a where a.id = alarm_id))
  with check ((select scope_open()) or exists (select 1 from alarms a where a.id = alarm_id));
create policy system_all on alarm_occurrences to :system using (true) with check (true);
create policy telemetry_all on alarm_occurrences to :telemetry using (true) with check (true);
grant select on alarm_occurrences to :app;
grant select, insert on alarm_occurrences to :telemetry;
grant select, insert, delete on alarm_occurrences to :system;

create table alarm_events (
  id uuid primary key,
  tenant_id uuid not null,
  alarm_id uuid not null references alarms (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  login_id uuid,
  name text not null default '',
  text text,
  photo_ids uuid[] not null default '{}',
  detail jsonb not null default '{}'
);
create index alarm_events_idx on alarm_events (alarm_id, at, id);
alter table alarm_events enable row level security;
create policy tenant_own on alarm_events to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on alarm_events as restrictive to :app
  using ((select scope_open()) or exists (select 1 from alarms a where a.id = alarm_id))
  with check ((select scope_open()) or exists (select 1 from alarms a where a.id = alarm_id));
create policy system_all on alarm_events to :system using (true) with check (true);
create policy telemetry_all on alarm_events to :telemetry using (true) with check (true);
grant select, insert on alarm_events to :app, :telemetry;
grant select, insert, delete on alarm_events to :system;

-- Names, colours and sounds of the five levels; a company without a row has those that everybody begins with.
create table alarm_levels (
  tenant_id uuid primary key references tenants (id),
  levels jsonb not null,
  version int not null default 2
);
alter table alarm_levels enable row level security;
create policy tenant_own on alarm_levels to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on alarm_levels to :system using (true) with check (true);
grant select, insert, update on alarm_levels to :app;
grant select, insert, update, delete on alarm_levels to :system;

-- Devices that are worked on: their alarms are kept and marked, nobody is told.
create table device_maintenance (
  device_id uuid primary key references devices (id) on delete cascade,
  tenant_id uuid not null,
  until timestamptz not null,
  reason text,
  by_name text not null,
  since timestamptz not null default now()
);
alter table device_maintenance enable row level security;
create policy tenant_own on device_maintenance to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on device_maintenance as restrictive to :app
  using ((select scope_open()) or exists (select 1 from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select 1 from devices d where d.id = device_id));
create policy system_all on device_maintenance to :system using (true) with check (true);
create policy telemetry_read on device_maintenance for select to :telemetry using (true);
grant select, insert, update, delete on device_maintenance to :app, :system;
grant select on device_maintenance to :telemetry;

-- ───────────── what triggers did ─────────────
create table trigger_runs (
  id uuid primary key,
  tenant_id uuid not null,
  trigger_id uuid not null references triggers (id) on delete cascade,
  rule_version int not null,
  at timestamptz not null,
  origin text not null,
  cause text not null check (cause in ('raised', 'cleared', 'paused')),
  by text not null,
  device_id uuid,
  alarm_id uuid,
  values jsonb not null default '[]',
  latency_ms int not null default 0,
  unique (origin, cause)
);
create index trigger_runs_idx on trigger_runs (trigger_id, at desc, id desc);
create index trigger_runs_at_idx on trigger_runs (at);
alter table trigger_runs enable row level security;
create policy tenant_own on trigger_runs to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on trigger_runs as restrictive to :app
  using ((select scope_open()) or exists (select 1 from triggers t where t.id = trigger_id))
  with check ((select scope_open()) or exists (select 1 from triggers t where t.id = trigger_id));
create policy system_all on trigger_runs to :system using (true) with check (true);
create policy telemetry_all on trigger_runs to :telemetry using (true) with check (true);
grant select on trigger_runs to :app;
grant select, insert on trigger_runs to :telemetry;
grant select, insert, delete on trigger_runs to :system;

create table trigger_actions (
  id uuid primary key,
  tenant_id uuid not null,
  run_id uuid not null references trigger_runs (id) on delete cascade,
  trigger_id uuid not null,
  index smallint not null,
  kind text not null,
  -- as the rule said it when it was due
  action jsonb not null,
  result text not null default 'pending' check (result in ('pending', 'done', 'failed', 'skipped')),
  message text,
  attempts int not null default 0,
  command_id uuid,
  due_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  unique (run_id, index)
);
create index trigger_actions_due_idx on trigger_actions (due_at) where result = 'pending';
alter table trigger_actions enable row level security;
create policy tenant_own on trigger_actions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on trigger_actions as restrictive to :app
  using ((select scope_open()) or exists (select 1 from trigger_runs r where r.id = run_id))
  with check ((select scope_open()) or exists (select 1 from trigger_runs r where r.id = run_id));
create policy system_all on trigger_actions to :system using (true) with check (true);
create policy telemetry_all on trigger_actions to :telemetry using (true) with check (true);
grant select on trigger_actions to :app;
grant select, insert on trigger_actions to :telemetry;
grant select, insert, update, delete on trigger_actions to :system;

-- ───────────── the engine ─────────────
-- What happens beside the journal: buttons, failed commands, alarms that were cleared by hand. Judged once, kept a while
-- for a restart.
create table trigger_signals (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  kind text not null check (kind in ('button', 'api', 'command_failed', 'cleared', 'resumed')),
  trigger_id uuid,
  device int,
  key text,
  at timestamptz not null default clock_timestamp(),
  -- epoch ms at which it took its place among the rows; null: not yet
  judged_at bigint
);
create index trigger_signals_new_idx on trigger_signals (id) where judged_at is null;
create index trigger_signals_old_idx on trigger_signals (judged_at) where judged_at is not null;
alter table trigger_signals enable row level security;
create policy tenant_own on trigger_signals to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on trigger_signals to :system using (true) with check (true);
create policy telemetry_all on trigger_signals to :telemetry using (true) with check (true);
grant insert on trigger_signals to :app;
grant select, insert, update, delete on trigger_signals to :telemetry, :system;

-- The memory of the engine, every ten seconds; what came after it is judged again after a restart, and told to nobody.
create table trigger_engine (
  id smallint primary key default 1 check (id = 1),
  -- positions in the lanes at the snapshot
  positions jsonb not null default '[]',
  snapshot text,
  taken_at timestamptz,
  -- it ran until here: later is an outage
  alive_at timestamptz not null,
  -- timers up to here have fired
  acted_at timestamptz not null
);
grant select, insert, update, delete on trigger_engine to :telemetry;

-- Companies whose devices, groups or models changed, so that who is watched is worked out anew.
create table trigger_marks (
  id bigint generated always as identity primary key,
  tenant_id uuid not null
);
alter table trigger_marks enable row level security;
create policy tenant_own on trigger_marks to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on trigger_marks to :system using (true) with check (true);
create policy telemetry_all on trigger_marks to :telemetry using (true) with check (true);
grant select, insert, delete on trigger_marks to :telemetry;
grant select, delete on trigger_marks to :system;

create function mark_triggers_many() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into trigger_marks (tenant_id)
  select distinct n.tenant_id from changed n where exists (select 1 from triggers t where t.tenant_id = n.tenant_id);
  return null;
end $$;
create function mark_triggers() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select 1 from triggers t where t.tenant_id = new.tenant_id) then
    insert into trigger_marks (tenant_id) values (new.tenant_id);
  end if;
  return null;
end $$;
revoke execute on function mark_triggers_many(), mark_triggers() from public;
create trigger mark_triggers_made after insert on devices
  referencing new table as changed for each statement execute function mark_triggers_many();
create trigger mark_triggers_gone after delete on devices
  referencing old table as changed for each statement execute function mark_triggers_many();
create trigger mark_triggers_moved after update of group_id, tags, product_id, recycled_at on devices for each row
  when (old.group_id is distinct from new.group_id or old.tags is distinct from new.tags
    or old.product_id is distinct from new.product_id or old.recycled_at is distinct from new.recycled_at)
  execute function mark_triggers();
create trigger mark_triggers_tree after update of parent_id on groups for each row
  when (old.parent_id is distinct from new.parent_id) execute function mark_triggers();
create trigger mark_triggers_model after update of published_model on products for each row
  when (old.published_model is distinct from new.published_model) execute function mark_triggers();

-- A command that came to nothing.
create function note_command_failed() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select 1 from triggers t where t.tenant_id = new.tenant_id and t.enabled and t.kind = 'general'
    and t.document::text like '%"command_failed"%') then
    insert into trigger_signals (tenant_id, kind, device, key)
    values (new.tenant_id, 'command_failed', new.device, coalesce(new.identifier, new.kind));
  end if;
  return null;
end $$;
revoke execute on function note_command_failed() from public;
create trigger note_failed after update of state on commands for each row
  when (old.state is distinct from new.state and new.state in ('rejected', 'timed_out', 'expired', 'failed'))
  execute function note_command_failed();

-- The level of a device is that of its gravest alarm that is neither ignored nor shelved.
create function refresh_alarm_levels(nums int[]) returns table (device int, level smallint)
language sql security definer set search_path = public, pg_temp as $$
  with now_is as (
    select n.num, coalesce((select max(a.level) from alarms a where a.device = n.num and a.active and a.work <> 'ignored'
      and (a.shelved_until is null or a.shelved_until <= now())), 0)::smallint as level
    from unnest(nums) as n (num))
  update device_presence p set alarm_level = i.level from now_is i
  where p.device = i.num and p.alarm_level is distinct from i.level
  returning p.device, p.alarm_level
$$;
revoke execute on function refresh_alarm_levels(int[]) from public;
grant execute on function refresh_alarm_levels(int[]) to :app, :system, :telemetry;

-- A device whose first message raised an alarm has its presence a moment later.
create function first_alarm_level() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.alarm_level := coalesce((select max(a.level) from alarms a where a.device = new.device and a.active
    and a.work <> 'ignored' and (a.shelved_until is null or a.shelved_until <= now())), 0);
  return new;
end $$;
revoke execute on function first_alarm_level() from public;
create trigger first_alarm_level before insert on device_presence for each row execute function first_alarm_level();
