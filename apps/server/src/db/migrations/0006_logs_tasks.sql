-- Background tasks, the chain over the operation log (docs/adr/0026).

-- ───────────── tasks ─────────────
create table tasks (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  kind text not null check (kind <> ''),
  title_zh text not null,
  title_en text not null,
  input jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  -- who started it, with the rights he had then; they are read again when it runs
  owner_id uuid,
  owner_name text not null,
  actor jsonb not null,
  locale text not null default 'zh',
  ip text,
  retry_of uuid,
  -- parts finished of parts in all; null: not known
  done int not null default 0,
  total int,
  failed_count int not null default 0,
  summary jsonb,
  error_code text,
  error_params jsonb,
  file_key text,
  file_name text,
  file_type text,
  file_size bigint,
  cancel_requested boolean not null default false,
  -- the process at work; whoever lets the lease run out has lost the task
  worker uuid,
  lease_until timestamptz,
  attempts int not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  check ((state in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null)),
  check ((state = 'running') = (worker is not null and lease_until is not null))
);
create index tasks_list_idx on tasks (tenant_id, created_at desc, id desc);
create index tasks_owner_idx on tasks (owner_id, created_at desc, id desc) where owner_id is not null;
create index tasks_queue_idx on tasks (created_at, id) where state = 'queued';
create index tasks_running_idx on tasks (tenant_id, lease_until) where state = 'running';
create index tasks_ended_idx on tasks (ended_at) where ended_at is not null;
alter table tasks enable row level security;
create policy tenant_own on tasks to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on tasks to :system using (true) with check (true);
grant select, insert, update on tasks to :app;
grant select, insert, update, delete on tasks to :system;

-- parts of a task that failed, the first 1,000
create table task_failures (
  task_id uuid not null references tasks (id) on delete cascade,
  n int not null,
  tenant_id uuid not null,
  item text not null,
  code text not null,
  params jsonb not null default '{}',
  primary key (task_id, n)
);
alter table task_failures enable row level security;
create policy tenant_own on task_failures for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on task_failures to :system using (true) with check (true);
grant select on task_failures to :app;
grant select, insert, update, delete on task_failures to :system;

-- ───────────── operation log ─────────────
alter table audit_logs add column user_agent text;
create index audit_logs_actor_idx on audit_logs (tenant_id, actor_id, at desc, id);
create index audit_logs_action_idx on audit_logs (tenant_id, action, at desc, id);

-- what the user log shows of it
create index audit_logs_user_idx on audit_logs (tenant_id, at desc, id desc)
  where action in ('command.create', 'command.cancel', 'session.sign_out', 'session.end', 'session.end_others', 'session.end_member', 'task.download')
    or action like '%.export';

-- Lines that are not chained yet, with the transaction that wrote them: they may be chained once no transaction that
-- began before it is still open (commit horizon).
create table audit_pending (
  audit_id uuid primary key,
  tenant_id uuid not null,
  xid xid8 not null
);
create index audit_pending_order_idx on audit_pending (tenant_id, audit_id);
alter table audit_pending enable row level security;
create policy tenant_read on audit_pending for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on audit_pending to :system using (true) with check (true);
grant select on audit_pending to :app;
grant select, delete on audit_pending to :system;

create function audit_written() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit_pending (audit_id, tenant_id, xid) values (new.id, new.tenant_id, pg_current_xact_id());
  return null;
end $$;
create trigger audit_written after insert on audit_logs for each row execute function audit_written();
-- lines from before this version
insert into audit_pending (audit_id, tenant_id, xid) select id, tenant_id, pg_current_xact_id() from audit_logs;

-- One link per line: hash = SHA-256(hash before, seq, content of the line). seq counts within the company, without gaps.
create table audit_chain (
  tenant_id uuid not null,
  seq bigint not null check (seq > 0),
  audit_id uuid not null unique,
  hash bytea not null check (length(hash) = 32),
  -- how the content was written down
  format smallint not null default 1,
  primary key (tenant_id, seq)
);
alter table audit_chain enable row level security;
create policy tenant_read on audit_chain for select to :app using (tenant_id = (select current_tenant()));
create policy system_read on audit_chain for select to :system using (true);
create policy system_write on audit_chain for insert to :system with check (true);
grant select on audit_chain to :app;
grant select, insert on audit_chain to :system;

-- The last link; the seal is a MAC with the installation's key, which is not in the database.
create table audit_heads (
  tenant_id uuid primary key,
  seq bigint not null,
  hash bytea not null,
  seal bytea not null,
  updated_at timestamptz not null default now()
);
alter table audit_heads enable row level security;
create policy tenant_read on audit_heads for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on audit_heads to :system using (true) with check (true);
grant select on audit_heads to :app;
grant select, insert, update on audit_heads to :system;

-- One link of every day, to be noted outside; the chain may be cut only at one of these.
create table audit_checkpoints (
  tenant_id uuid not null,
  seq bigint not null,
  hash bytea not null,
  -- the latest time of a line up to here; part of the seal
  upto timestamptz not null,
  seal bytea not null,
  at timestamptz not null default now(),
  -- lines up to here are being removed or gone
  cut_at timestamptz,
  primary key (tenant_id, seq)
);
create index audit_checkpoints_at_idx on audit_checkpoints (tenant_id, at desc);
alter table audit_checkpoints enable row level security;
create policy tenant_read on audit_checkpoints for select to :app using (tenant_id = (select current_tenant()));
create policy system_read on audit_checkpoints for select to :system using (true);
create policy system_write on audit_checkpoints for insert to :system with check (true);
grant select on audit_checkpoints to :app;
grant select, insert on audit_checkpoints to :system;

-- The only way by which lines ever go: all up to a checkpoint, none younger than 180 days. At most `bound` at a time, the
-- oldest first; returns how many went. What remains is verified from the checkpoint on.
create function prune_audit(tenant uuid, checkpoint bigint, bound int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  going uuid[];
begin
  if not exists (
    select 1 from audit_checkpoints
    where tenant_id = tenant and seq = checkpoint and upto < now() - interval '180 days') then
    raise exception 'no checkpoint older than 180 days at %', checkpoint using errcode = '42501';
  end if;
  going := array(
    select audit_id from audit_chain where tenant_id = tenant and seq <= checkpoint order by seq limit bound);
  if exists (select 1 from audit_logs where id = any (going) and at > now() - interval '180 days') then
    raise exception 'lines younger than 180 days stay' using errcode = '42501';
  end if;
  update audit_checkpoints set cut_at = now() where tenant_id = tenant and seq = checkpoint and cut_at is null;
  delete from audit_chain where tenant_id = tenant and audit_id = any (going);
  delete from audit_logs where tenant_id = tenant and id = any (going);
  return cardinality(going);
end $$;
revoke execute on function prune_audit(uuid, bigint, int) from public;
grant execute on function prune_audit(uuid, bigint, int) to :system;
