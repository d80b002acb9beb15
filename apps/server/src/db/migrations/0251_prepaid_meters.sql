-- Prepaid meters: drawn from the balance as they count, cut off when it is used up, restored when it is paid.

create table meter_settings (
  tenant_id uuid primary key references tenants (id),
  -- how end users pay in the console; none: only offline, written down by the company
  online text not null default 'none' check (online in ('none', 'simulated')),
  draw_minutes int not null default 60 check (draw_minutes between 1 and 1440),
  -- below this an end user with a prepaid meter is warned
  low_fen bigint not null default 2000 check (low_fen >= 0),
  -- from the notice until the cut-off
  wait_minutes int not null default 1440 check (wait_minutes between 0 and 44640),
  -- readings older than this cut nothing off
  fresh_minutes int not null default 60 check (fresh_minutes between 1 and 1440),
  -- times of the day in which nothing is cut off: [{"from": "22:00", "to": "24:00"}]
  protected jsonb not null default '[]',
  -- days after its issue until a statement is to be paid
  due_days int not null default 15 check (due_days between 0 and 365),
  version int not null default 1
);
alter table meter_settings enable row level security;
create policy tenant_own on meter_settings to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on meter_settings to :system using (true) with check (true);
grant select, insert, update on meter_settings to :app, :system;
grant delete on meter_settings to :system;

-- What is set on the device to cut it off and to restore it, and what was drawn since the last statement.
alter table meters
  add column cut_property text,
  add column cut_value jsonb,
  add column restore_value jsonb,
  add column drawn_fen bigint not null default 0,
  add column draws int not null default 0,
  add column drawn_at timestamptz;
create index meters_prepaid_idx on meters (tenant_id, drawn_at) where mode = 'prepaid' and end_user_id is not null;

alter table meter_statements add column due_at timestamptz, add column reminded_at timestamptz;
create index meter_statements_due_idx on meter_statements (due_at) where state = 'issued' and reminded_at is null and paid_fen < amount_fen;

create sequence meter_payment_numbers;
grant usage on sequence meter_payment_numbers to :app, :system;

create table meter_payments (
  id uuid primary key,
  no text not null unique,
  tenant_id uuid not null references tenants (id),
  end_user_id uuid not null,
  way text not null check (way in ('offline', 'simulated')),
  state text not null check (state in ('pending', 'succeeded', 'failed')),
  amount_fen bigint not null check (amount_fen > 0),
  remark text not null default '',
  by_name text not null default '',
  created_at timestamptz not null default now(),
  paid_at timestamptz
);
create index meter_payments_idx on meter_payments (end_user_id, created_at desc, id desc);
alter table meter_payments enable row level security;
create policy tenant_own on meter_payments to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on meter_payments as restrictive to :app
  using ((select scope_open()) or end_user_id = any ((select scope_user_ids())::uuid[]))
  with check ((select scope_open()) or end_user_id = any ((select scope_user_ids())::uuid[]));
create policy system_all on meter_payments to :system using (true) with check (true);
grant select, insert, update on meter_payments to :app, :system;
grant delete on meter_payments to :system;

-- From the notice that the balance is used up until the device is on again.
create table meter_cutoffs (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  meter_id uuid not null references meters (id) on delete cascade,
  end_user_id uuid not null,
  state text not null check (state in ('noticed', 'cutting', 'cut', 'cut_failed', 'restoring', 'restore_failed', 'restored', 'cancelled')),
  -- why it does not go on: protected, stale
  waits text,
  command_id uuid,
  reason text,
  noticed_at timestamptz not null default now(),
  tried_at timestamptz,
  cut_at timestamptz,
  restored_at timestamptz,
  ended_at timestamptz
);
create unique index meter_cutoffs_open on meter_cutoffs (meter_id) where ended_at is null;
create index meter_cutoffs_idx on meter_cutoffs (tenant_id, noticed_at desc, id desc);
alter table meter_cutoffs enable row level security;
create policy tenant_own on meter_cutoffs to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on meter_cutoffs as restrictive to :app
  using ((select scope_open()) or end_user_id = any ((select scope_user_ids())::uuid[]))
  with check ((select scope_open()) or end_user_id = any ((select scope_user_ids())::uuid[]));
create policy system_all on meter_cutoffs to :system using (true) with check (true);
grant select, insert, update on meter_cutoffs to :app, :system;
grant delete on meter_cutoffs to :system;
