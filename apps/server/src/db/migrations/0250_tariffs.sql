-- What a company charges its end users by their meters.

-- Money of end users, whose payee is their company. What was used was used: a balance of theirs may be below nothing, and
-- that is what they owe.
alter table wallets drop constraint wallets_covered;
alter table wallets add constraint wallets_covered check (holder_kind = 'end_user' or available_fen + credit_fen >= 0);
alter table wallets add constraint wallets_payee check ((holder_kind = 'company') = (payee_kind = 'platform'));

create table tariffs (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  -- what is measured, as a statement shows it: kWh, m³
  unit text not null,
  remark text not null default '',
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index tariffs_name_key on tariffs (tenant_id, lower(name));
alter table tariffs enable row level security;
create policy tenant_own on tariffs to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on tariffs to :system using (true) with check (true);
grant select, insert, update, delete on tariffs to :app, :system;

-- Prices of a tariff from a day to a day, both included, in the company's time zone.
create table tariff_versions (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  tariff_id uuid not null references tariffs (id) on delete cascade,
  valid_from date not null,
  valid_to date,
  rates jsonb not null,
  by_name text not null default '',
  created_at timestamptz not null default now(),
  check (valid_to is null or valid_to >= valid_from)
);
create index tariff_versions_idx on tariff_versions (tariff_id, valid_from);
alter table tariff_versions enable row level security;
create policy tenant_own on tariff_versions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on tariff_versions to :system using (true) with check (true);
grant select, insert, update, delete on tariff_versions to :app, :system;

-- On a day a tariff has one price. Two that are entered together wait for each other on the tariff's row.
create function check_tariff_versions() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  other record;
begin
  perform 1 from tariffs where id = new.tariff_id for update;
  select v.valid_from, v.valid_to into other from tariff_versions v where v.tariff_id = new.tariff_id and v.id <> new.id
    and daterange(v.valid_from, v.valid_to, '[]') && daterange(new.valid_from, new.valid_to, '[]') limit 1;
  if found then
    raise exception 'tariff.overlap' using errcode = 'TW001',
      detail = json_build_object('field', 'validFrom', 'from', other.valid_from, 'to', coalesce(other.valid_to::text, '…'))::text;
  end if;
  return null;
end $$;
revoke execute on function check_tariff_versions() from public;
create trigger versions_apart after insert or update on tariff_versions for each row execute function check_tariff_versions();

-- A property of a device that counts up, whose it is, and by which tariff it is charged.
create table meters (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  device_id uuid references devices (id) on delete set null,
  device_name text not null,
  property text not null,
  factor numeric(18, 6) not null default 1 check (factor > 0),
  end_user_id uuid references end_users (id) on delete set null,
  tariff_id uuid not null references tariffs (id),
  mode text not null check (mode in ('prepaid', 'postpaid')),
  from_day date not null,
  to_day date,
  -- what the register showed when the customer began; null: the first reading
  start_value numeric,
  -- where the register begins again; null: never
  rollover numeric check (rollover > 0),
  gap_minutes int not null default 1440 check (gap_minutes between 1 and 44640),
  gap_mode text not null default 'estimate' check (gap_mode in ('estimate', 'open')),
  -- where the last statement ended, and with what: the next one begins there
  billed_to timestamptz,
  billed_value numeric,
  -- why the last run made no statement
  problem jsonb,
  version int not null default 1,
  created_at timestamptz not null default now(),
  check (to_day is null or to_day >= from_day)
);
create index meters_list_idx on meters (tenant_id, created_at desc, id desc);
create index meters_device_idx on meters (device_id, property);
create index meters_end_user_idx on meters (end_user_id);
create index meters_tariff_idx on meters (tariff_id);
alter table meters enable row level security;
create policy tenant_own on meters to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on meters as restrictive to :app
  using ((select scope_open()) or end_user_id = any ((select scope_user_ids())::uuid[]))
  with check ((select scope_open()) or end_user_id = any ((select scope_user_ids())::uuid[]));
create policy system_all on meters to :system using (true) with check (true);
grant select, insert, update, delete on meters to :app, :system;

-- What a property counts is charged once: meters of the same property follow each other.
create function check_meter_alone() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  other record;
begin
  if new.device_id is null then return null; end if;
  perform pg_advisory_xact_lock(hashtextextended('meter:' || new.device_id || new.property, 0));
  select m.name, m.from_day, m.to_day into other from meters m where m.device_id = new.device_id and m.property = new.property
    and m.id <> new.id and daterange(m.from_day, m.to_day, '[]') && daterange(new.from_day, new.to_day, '[]') limit 1;
  if found then
    raise exception 'meter.overlap' using errcode = 'TW001', detail = json_build_object('field', 'fromDay', 'name', other.name,
      'from', other.from_day, 'to', coalesce(other.to_day::text, '…'))::text;
  end if;
  return null;
end $$;
revoke execute on function check_meter_alone() from public;
create trigger meters_apart after insert or update of device_id, property, from_day, to_day on meters
  for each row execute function check_meter_alone();

-- A register that was set or exchanged.
create table meter_resets (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  meter_id uuid not null references meters (id) on delete cascade,
  at timestamptz not null,
  final_value numeric,
  start_value numeric not null default 0,
  remark text not null default '',
  by_name text not null default '',
  created_at timestamptz not null default now(),
  constraint meter_resets_key unique (meter_id, at)
);
alter table meter_resets enable row level security;
create policy tenant_own on meter_resets to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on meter_resets to :system using (true) with check (true);
grant select, insert, delete on meter_resets to :app, :system;

-- The billing of a month: one of a company at a time.
create table billing_runs (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  month text not null check (month ~ '^\d{4}-\d{2}$'),
  state text not null default 'running' check (state in ('running', 'done', 'cancelled')),
  task_id uuid,
  meters int not null default 0,
  failed int not null default 0,
  by_name text not null default '',
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index billing_runs_one on billing_runs (tenant_id, month) where state = 'running';
create index billing_runs_list_idx on billing_runs (tenant_id, created_at desc, id desc);
alter table billing_runs enable row level security;
create policy tenant_own on billing_runs to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on billing_runs to :system using (true) with check (true);
grant select, insert, update on billing_runs to :app, :system;
grant delete on billing_runs to :system;

create sequence meter_statement_numbers;
grant usage on sequence meter_statement_numbers to :app, :system;

-- A month of a meter, as it was when it was billed.
create table meter_statements (
  id uuid primary key,
  no text not null unique,
  tenant_id uuid not null references tenants (id),
  meter_id uuid references meters (id) on delete set null,
  meter_name text not null,
  device_id uuid,
  device_name text not null,
  property text not null,
  run_id uuid references billing_runs (id),
  month text not null,
  end_user_id uuid not null,
  end_user_name text not null,
  mode text not null check (mode in ('prepaid', 'postpaid')),
  tariff_name text not null,
  unit text not null,
  factor numeric(18, 6) not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  from_value numeric not null,
  to_value numeric not null,
  quantity numeric not null,
  -- not billed: a gap that the meter leaves open, or a time without a price
  open_quantity numeric not null default 0,
  estimated boolean not null default false,
  marks jsonb not null default '[]',
  amount_fen bigint not null check (amount_fen >= 0),
  -- of it covered by what the end user paid, the oldest statement first
  paid_fen bigint not null default 0 check (paid_fen >= 0 and paid_fen <= amount_fen),
  state text not null default 'issued' check (state in ('issued', 'voided')),
  void_reason text,
  -- where the meter stood before: voiding puts it back
  before_to timestamptz,
  before_value numeric,
  issued_at timestamptz not null default now(),
  voided_at timestamptz
);
create unique index meter_statements_once on meter_statements (meter_id, month) where state <> 'voided';
create index meter_statements_list_idx on meter_statements (tenant_id, issued_at desc, id desc);
create index meter_statements_user_idx on meter_statements (end_user_id, issued_at desc, id desc);
create index meter_statements_run_idx on meter_statements (run_id);
create index meter_statements_debt_idx on meter_statements (end_user_id, issued_at, id) where state = 'issued' and paid_fen < amount_fen;
alter table meter_statements enable row level security;
create policy tenant_own on meter_statements to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on meter_statements as restrictive to :app
  using ((select scope_open()) or end_user_id = any ((select scope_user_ids())::uuid[]))
  with check ((select scope_open()) or end_user_id = any ((select scope_user_ids())::uuid[]));
create policy system_all on meter_statements to :system using (true) with check (true);
grant select, insert, update on meter_statements to :app, :system;
grant delete on meter_statements to :system;

create table meter_statement_lines (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  statement_id uuid not null references meter_statements (id) on delete cascade,
  position int not null,
  kind text not null check (kind in ('fixed', 'step', 'band')),
  name text not null default '',
  quantity numeric not null,
  estimated numeric not null default 0,
  price numeric not null,
  amount_fen bigint not null,
  version_id uuid not null,
  constraint meter_statement_lines_key unique (statement_id, position)
);
alter table meter_statement_lines enable row level security;
create policy tenant_own on meter_statement_lines to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on meter_statement_lines to :system using (true) with check (true);
grant select, insert on meter_statement_lines to :app, :system;
grant delete on meter_statement_lines to :system;
