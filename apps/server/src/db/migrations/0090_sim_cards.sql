-- SIM cards of carriers, and the accounts at carriers that they are asked about with.
create table carrier_accounts (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  carrier text not null check (carrier in ('cmcc', 'ctcc')),
  kind text not null check (kind in ('onelink', 'cmp', 'dcp')),
  base_url text not null,
  account text not null,
  -- {password, secretKey}, sealed
  secrets_cipher bytea not null,
  -- the simulated carrier of the demo company
  simulated boolean not null default false,
  state text not null default 'untested' check (state in ('untested', 'ok', 'failed', 'disabled')),
  -- {kind, code, text} of the last request that failed
  fault jsonb,
  tested_at timestamptz,
  cooldown_seconds int not null default 180,
  per_second real not null default 5,
  -- {clock, signedBody}
  options jsonb not null default '{}',
  -- {percents, stopAt, offlineDays}
  alerts jsonb not null default '{"percents": [50, 80, 100], "stopAt": null, "offlineDays": null}',
  synced_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index carrier_accounts_name_key on carrier_accounts (tenant_id, lower(name));
alter table carrier_accounts enable row level security;
create policy tenant_own on carrier_accounts to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on carrier_accounts as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on carrier_accounts to :system using (true) with check (true);
grant select, insert, update, delete on carrier_accounts to :app, :system;

create table sim_cards (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  account_id uuid not null references carrier_accounts (id),
  -- of the account, so that who sees a part of the company need not see it
  account_name text not null,
  carrier text not null,
  kind text not null,
  simulated boolean not null default false,
  iccid text not null,
  msisdn text,
  imsi text,
  imei text,
  bound_imei text,
  state text not null default 'unsynced',
  raw_state text,
  raw_state_text text,
  stop_reason text,
  state_since timestamptz,
  online boolean,
  offline_since timestamptz,
  ip text,
  apn text,
  data_off boolean,
  real_name boolean,
  speed_kbps int,
  form text,
  use text not null default 'single',
  pool text not null default '',
  plan_name text,
  plan_kb double precision,
  -- set by hand, it is not taken from the carrier
  own_plan boolean not null default false,
  month_kb double precision,
  -- local month that month_kb is of, 202601
  usage_month int,
  month_fen int,
  opened_at timestamptz,
  activated_at timestamptz,
  activate_by timestamptz,
  expires_at timestamptz,
  tags text[] not null default '{}',
  remark text not null default '',
  device_id uuid references devices (id) on delete set null,
  synced_at timestamptz,
  sync_fault text,
  changed_at timestamptz,
  -- until then the carrier takes no other change of it
  cooldown_until timestamptz,
  -- what was told of it: usage-202601-80, offline, expiring-7 …
  told text[] not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index sim_cards_iccid_key on sim_cards (tenant_id, iccid);
create unique index sim_cards_msisdn_key on sim_cards (tenant_id, msisdn) where msisdn is not null;
create unique index sim_cards_device_key on sim_cards (device_id) where device_id is not null;
create index sim_cards_list_idx on sim_cards (tenant_id, carrier, created_at desc, id desc);
create index sim_cards_state_idx on sim_cards (tenant_id, carrier, state, created_at desc, id desc);
create index sim_cards_iccid_idx on sim_cards (iccid);
create index sim_cards_account_idx on sim_cards (account_id, synced_at nulls first, id);
alter table sim_cards enable row level security;
create policy tenant_own on sim_cards to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- Who sees a part of the company sees the cards in the devices that he sees.
create policy in_scope on sim_cards as restrictive to :app
  using ((select scope_open()) or exists (select from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select from devices d where d.id = device_id));
create policy system_all on sim_cards to :system using (true) with check (true);
grant select, insert, update, delete on sim_cards to :app, :system;

-- Of these cards those that another company has: whoever brings a card is told that it is not his, and not whose it is.
create function sim_cards_elsewhere(iccids text[]) returns setof text language sql stable security definer set search_path = public, pg_temp
  as $$ select distinct c.iccid from sim_cards c where c.iccid = any (iccids) and c.tenant_id <> current_tenant() $$;
revoke execute on function sim_cards_elsewhere(text[]) from public;
grant execute on function sim_cards_elsewhere(text[]) to :app;

create table sim_card_usage (
  tenant_id uuid not null references tenants (id),
  card_id uuid not null references sim_cards (id) on delete cascade,
  -- local day at the carrier
  day date not null,
  kb double precision not null,
  primary key (card_id, day)
);
alter table sim_card_usage enable row level security;
create policy tenant_own on sim_card_usage to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on sim_card_usage as restrictive to :app
  using ((select scope_open()) or exists (select from sim_cards c where c.id = card_id))
  with check ((select scope_open()) or exists (select from sim_cards c where c.id = card_id));
create policy system_all on sim_card_usage to :system using (true) with check (true);
grant select, insert, update, delete on sim_card_usage to :app, :system;

create table sim_card_operations (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  card_id uuid not null references sim_cards (id) on delete cascade,
  action text not null,
  speed_kbps int,
  tac text,
  state text not null default 'queued' check (state in ('queued', 'submitted', 'succeeded', 'failed', 'timed_out', 'cancelled')),
  carrier_no text,
  reason text,
  code text,
  attempts int not null default 0,
  -- it went out and what became of it is not known: the card is asked about before it goes out again
  uncertain boolean not null default false,
  checks int not null default 0,
  not_before timestamptz not null default now(),
  by_name text not null,
  created_by uuid,
  created_at timestamptz not null default clock_timestamp(),
  submitted_at timestamptz,
  finished_at timestamptz
);
create index sim_card_operations_list_idx on sim_card_operations (tenant_id, created_at desc, id desc);
create index sim_card_operations_card_idx on sim_card_operations (card_id, created_at desc, id desc);
create unique index sim_card_operations_open_key on sim_card_operations (card_id) where state in ('queued', 'submitted');
create index sim_card_operations_due_idx on sim_card_operations (not_before) where state in ('queued', 'submitted');
alter table sim_card_operations enable row level security;
create policy tenant_own on sim_card_operations to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on sim_card_operations as restrictive to :app
  using ((select scope_open()) or exists (select from sim_cards c where c.id = card_id))
  with check ((select scope_open()) or exists (select from sim_cards c where c.id = card_id));
create policy system_all on sim_card_operations to :system using (true) with check (true);
grant select, insert, update, delete on sim_card_operations to :app, :system;

create table sim_card_events (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  card_id uuid not null references sim_cards (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  was text,
  becomes text,
  text text not null default ''
);
create index sim_card_events_card_idx on sim_card_events (card_id, at desc, id desc);
alter table sim_card_events enable row level security;
create policy tenant_own on sim_card_events to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on sim_card_events as restrictive to :app
  using ((select scope_open()) or exists (select from sim_cards c where c.id = card_id))
  with check ((select scope_open()) or exists (select from sim_cards c where c.id = card_id));
create policy system_all on sim_card_events to :system using (true) with check (true);
grant select, insert, update, delete on sim_card_events to :app, :system;
