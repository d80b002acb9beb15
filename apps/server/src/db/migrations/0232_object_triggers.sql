-- Triggers about cards, gateways and cameras: what is so of them is said here by who looks after them, and judged once.
alter table alarms add column target_name text;

create table trigger_facts (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants (id),
  object_kind text not null check (object_kind in ('sim', 'lora_gateway', 'camera')),
  object_id text not null,
  object_name text not null,
  -- what has happened; null: values say what is so
  moment text,
  values jsonb not null,
  at timestamptz not null default clock_timestamp()
);
alter table trigger_facts enable row level security;
create policy tenant_own on trigger_facts to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on trigger_facts to :system using (true) with check (true);
create policy telemetry_all on trigger_facts to :telemetry using (true) with check (true);
grant insert on trigger_facts to :app;
grant select, insert, update, delete on trigger_facts to :system, :telemetry;

-- Objects for which a trigger holds now.
create table trigger_objects (
  trigger_id uuid not null references triggers (id) on delete cascade,
  tenant_id uuid not null,
  object_kind text not null,
  object_id text not null,
  rule_version int not null,
  origin text not null,
  since timestamptz not null default clock_timestamp(),
  primary key (trigger_id, object_kind, object_id)
);
alter table trigger_objects enable row level security;
create policy tenant_own on trigger_objects to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on trigger_objects as restrictive to :app
  using ((select scope_open()) or exists (select 1 from triggers t where t.id = trigger_id))
  with check ((select scope_open()) or exists (select 1 from triggers t where t.id = trigger_id));
create policy system_all on trigger_objects to :system using (true) with check (true);
create policy telemetry_all on trigger_objects to :telemetry using (true) with check (true);
grant select on trigger_objects to :app;
grant select, insert, update, delete on trigger_objects to :system, :telemetry;
