-- Money. Every amount is a whole number of fen.

-- What somebody has: a company with the platform, later an end user with his company. The amounts are the sums of the
-- entries: nothing but the trigger below writes them.
create table wallets (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  holder_kind text not null check (holder_kind in ('company', 'end_user')),
  holder_id uuid not null,
  payee_kind text not null check (payee_kind in ('platform', 'company')),
  payee_id uuid,
  available_fen bigint not null default 0,
  frozen_fen bigint not null default 0 check (frozen_fen >= 0),
  credit_fen bigint not null default 0 check (credit_fen >= 0),
  -- Below this the company is told; null: never.
  warn_fen bigint default 50000 check (warn_fen >= 0),
  warned_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  constraint wallets_covered check (available_fen + credit_fen >= 0),
  constraint wallets_holder_key unique (tenant_id, holder_kind, holder_id)
);
alter table wallets enable row level security;
create policy tenant_own on wallets to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on wallets to :system using (true) with check (true);
grant delete on wallets to :system;
grant select, insert (id, tenant_id, holder_kind, holder_id, payee_kind, payee_id) on wallets to :app, :system;
grant update (warn_fen, warned_at, version) on wallets to :app, :system;
grant update (credit_fen) on wallets to :system;

-- One movement of money. Its entries add up to nothing.
create table ledger_transactions (
  id uuid primary key,
  no text not null unique,
  tenant_id uuid not null references tenants (id),
  kind text not null check (kind in ('top_up', 'purchase', 'charge', 'refund', 'gift', 'freeze', 'release', 'adjust')),
  -- The same movement asked for twice is made once.
  key text not null,
  cause_kind text not null,
  cause_id text not null,
  cause_no text not null default '',
  actor_kind text not null,
  actor_id text,
  actor_name text not null default '',
  remark text not null default '',
  at timestamptz not null default now(),
  constraint ledger_transactions_key unique (tenant_id, key)
);
create index ledger_transactions_cause_idx on ledger_transactions (tenant_id, cause_kind, cause_id);
alter table ledger_transactions enable row level security;
create policy tenant_own on ledger_transactions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on ledger_transactions to :system using (true) with check (true);
grant delete on ledger_transactions to :system;
grant select, insert on ledger_transactions to :app, :system;
create sequence ledger_numbers;
grant usage on sequence ledger_numbers to :app, :system;

create table ledger_entries (
  seq bigint generated always as identity primary key,
  tenant_id uuid not null references tenants (id),
  transaction_id uuid not null references ledger_transactions (id),
  account text not null check (account in ('available', 'frozen', 'payments', 'income', 'gifts', 'adjustments')),
  wallet_id uuid references wallets (id),
  amount_fen bigint not null check (amount_fen <> 0),
  before_fen bigint,
  after_fen bigint,
  kind text not null,
  at timestamptz not null default now(),
  constraint ledger_entries_wallet check ((account in ('available', 'frozen')) = (wallet_id is not null))
);
create index ledger_entries_wallet_idx on ledger_entries (wallet_id, account, seq desc);
create index ledger_entries_of_idx on ledger_entries (transaction_id);
alter table ledger_entries enable row level security;
create policy tenant_own on ledger_entries to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on ledger_entries to :system using (true) with check (true);
grant delete on ledger_entries to :system;
grant select, insert on ledger_entries to :app, :system;

-- The balance is the sum of its entries, because only an entry changes it. The wallet's row is held from here on, so
-- that two movements follow each other.
create function apply_ledger_entry() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.wallet_id is null then return new; end if;
  if new.account = 'available' then
    update wallets set available_fen = available_fen + new.amount_fen
    where id = new.wallet_id and tenant_id = new.tenant_id returning available_fen into new.after_fen;
  else
    update wallets set frozen_fen = frozen_fen + new.amount_fen
    where id = new.wallet_id and tenant_id = new.tenant_id returning frozen_fen into new.after_fen;
  end if;
  if new.after_fen is null then raise exception 'the wallet is not of this company'; end if;
  new.before_fen := new.after_fen - new.amount_fen;
  return new;
end $$;
revoke execute on function apply_ledger_entry() from public;
create trigger apply_entry before insert on ledger_entries for each row execute function apply_ledger_entry();

create function check_ledger_balanced() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (select sum(amount_fen) from ledger_entries where transaction_id = new.transaction_id) <> 0 then
    raise exception 'entries of movement % do not add up to nothing', new.transaction_id using errcode = '23514';
  end if;
  return null;
end $$;
revoke execute on function check_ledger_balanced() from public;
create constraint trigger entries_balanced after insert on ledger_entries deferrable initially deferred
  for each row execute function check_ledger_balanced();

-- Units that were paid for: messages and calls. The batch that ends first is used first.
create table unit_batches (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  holder_kind text not null check (holder_kind in ('company', 'end_user')),
  holder_id uuid not null,
  kind text not null check (kind in ('sms', 'voice')),
  total int not null check (total > 0),
  left_units int not null check (left_units >= 0),
  -- Given back with a refund.
  taken_back int not null default 0 check (taken_back >= 0),
  gift boolean not null default false,
  order_id uuid,
  order_no text not null default '',
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  check (left_units + taken_back <= total)
);
create index unit_batches_next_idx on unit_batches (tenant_id, holder_id, kind, expires_at, id) where left_units > 0;
create index unit_batches_list_idx on unit_batches (tenant_id, holder_id, kind, expires_at, id);
create unique index unit_batches_order_key on unit_batches (order_id, kind, gift) where order_id is not null;
alter table unit_batches enable row level security;
create policy tenant_own on unit_batches to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on unit_batches to :system using (true) with check (true);
grant delete on unit_batches to :system;
grant select, insert, update on unit_batches to :app, :system;

-- What was taken of them, by whom it was asked for: reserved before a message goes out, settled by what it needed,
-- released when it did not go.
create table unit_uses (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  kind text not null check (kind in ('sms', 'voice')),
  key text not null,
  state text not null check (state in ('reserved', 'settled', 'released')),
  units int not null check (units > 0),
  parts jsonb not null,
  at timestamptz not null default now(),
  ended_at timestamptz,
  constraint unit_uses_key unique (tenant_id, key)
);
create index unit_uses_open_idx on unit_uses (at) where state = 'reserved';
create index unit_uses_day_idx on unit_uses (tenant_id, kind, at);
alter table unit_uses enable row level security;
create policy tenant_own on unit_uses to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on unit_uses to :system using (true) with check (true);
grant delete on unit_uses to :system;
grant select, insert, update on unit_uses to :app, :system;

-- What was charged for, item by item: the bills are sums of these.
create table consumptions (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  at timestamptz not null default now(),
  item text not null check (item in ('platform', 'devices', 'sms', 'voice', 'storage', 'api', 'sim', 'video', 'other')),
  quantity int not null,
  unit text not null default '',
  unit_price_fen bigint not null,
  amount_fen bigint not null,
  balance_after_fen bigint,
  object_kind text not null default '',
  object_id text not null default '',
  object_name text not null default '',
  period_from timestamptz,
  period_to timestamptz,
  end_user_id uuid,
  device_id uuid,
  order_id uuid,
  order_no text not null default '',
  transaction_id uuid references ledger_transactions (id)
);
create index consumptions_list_idx on consumptions (tenant_id, at desc, id desc);
create index consumptions_order_idx on consumptions (order_id) where order_id is not null;
alter table consumptions enable row level security;
create policy tenant_own on consumptions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on consumptions to :system using (true) with check (true);
grant delete on consumptions to :system;
grant select, insert on consumptions to :app, :system;

-- What the platform sells. Everybody reads what is published.
create table catalogue_items (
  id uuid primary key,
  sku text not null unique,
  kind text not null check (kind in ('plan', 'expansion', 'sms', 'voice')),
  name_zh text not null,
  name_en text not null,
  text_zh text not null default '',
  text_en text not null default '',
  spec jsonb not null,
  price_fen bigint not null check (price_fen >= 0),
  state text not null default 'draft' check (state in ('draft', 'published', 'retired')),
  position int not null default 0,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table catalogue_items enable row level security;
create policy published on catalogue_items for select to :app using (true);
create policy system_all on catalogue_items to :system using (true) with check (true);
grant select on catalogue_items to :app;
grant select, insert, update on catalogue_items to :system;

create table catalogue_prices (
  id uuid primary key,
  item_id uuid not null references catalogue_items (id),
  price_fen bigint not null,
  by_name text not null,
  at timestamptz not null default now()
);
create index catalogue_prices_idx on catalogue_prices (item_id, at desc);
alter table catalogue_prices enable row level security;
create policy system_all on catalogue_prices to :system using (true) with check (true);
grant select, insert on catalogue_prices to :system;

create sequence order_numbers;
grant usage on sequence order_numbers to :app, :system;

create table purchase_orders (
  id uuid primary key,
  no text not null unique,
  tenant_id uuid not null references tenants (id),
  payee_kind text not null default 'platform' check (payee_kind in ('platform', 'company')),
  payee_id uuid,
  holder_kind text not null default 'company' check (holder_kind in ('company', 'end_user')),
  holder_id uuid not null,
  kind text not null check (kind in ('plan', 'expansion', 'sms', 'voice', 'top_up')),
  state text not null check (state in ('pending', 'paid', 'processing', 'shipped', 'completed', 'faulted', 'cancelled', 'closed',
    'refund_requested', 'refunding', 'refunded', 'partly_refunded')),
  -- Where a refused refund goes back to.
  state_before text,
  items jsonb not null,
  amount_fen bigint not null check (amount_fen >= 0),
  discount_fen bigint not null default 0 check (discount_fen >= 0),
  payable_fen bigint not null check (payable_fen >= 0),
  paid_fen bigint not null default 0 check (paid_fen >= 0),
  refunded_fen bigint not null default 0 check (refunded_fen >= 0),
  invoice_state text not null default 'open' check (invoice_state in ('none', 'open', 'partly', 'issued', 'reversed')),
  buyer_id uuid,
  buyer_name text not null default '',
  address jsonb,
  logistics jsonb,
  remark text not null default '',
  fault text,
  tries int not null default 0,
  next_try_at timestamptz,
  outcome jsonb,
  pay_before timestamptz not null,
  created_at timestamptz not null default now(),
  paid_at timestamptz,
  completed_at timestamptz,
  ended_at timestamptz,
  version int not null default 1,
  check (refunded_fen <= paid_fen),
  check (payable_fen = amount_fen - discount_fen)
);
create index purchase_orders_list_idx on purchase_orders (tenant_id, created_at desc, id desc);
create index purchase_orders_all_idx on purchase_orders (created_at desc, id desc);
create index purchase_orders_due_idx on purchase_orders (pay_before) where state = 'pending';
create index purchase_orders_work_idx on purchase_orders (next_try_at) where state in ('paid', 'processing', 'faulted');
alter table purchase_orders enable row level security;
create policy tenant_own on purchase_orders to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on purchase_orders to :system using (true) with check (true);
grant delete on purchase_orders to :system;
grant select, insert, update on purchase_orders to :app, :system;

create table purchase_order_events (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  order_id uuid not null references purchase_orders (id),
  at timestamptz not null default now(),
  event text not null,
  from_state text,
  to_state text not null,
  actor_kind text not null,
  actor_name text not null default '',
  remark text not null default ''
);
create index purchase_order_events_idx on purchase_order_events (order_id, at, id);
alter table purchase_order_events enable row level security;
create policy tenant_own on purchase_order_events to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on purchase_order_events to :system using (true) with check (true);
grant delete on purchase_order_events to :system;
grant select, insert on purchase_order_events to :app, :system;

-- A way in which somebody tried to pay for an order; an order can have several.
create table payments (
  id uuid primary key,
  no text not null unique,
  tenant_id uuid not null references tenants (id),
  order_id uuid not null references purchase_orders (id),
  provider text not null check (provider in ('balance', 'simulated', 'wechat', 'alipay', 'transfer')),
  state text not null check (state in ('created', 'pending', 'in_review', 'succeeded', 'failed', 'refused', 'closed')),
  amount_fen bigint not null check (amount_fen >= 0),
  code_url text,
  page_url text,
  voucher jsonb,
  provider_no text,
  reason text,
  decided_by text,
  decided_at timestamptz,
  asked_at timestamptz,
  created_at timestamptz not null default now(),
  paid_at timestamptz,
  expires_at timestamptz
);
create index payments_order_idx on payments (order_id, created_at desc);
create index payments_open_idx on payments (created_at) where state in ('created', 'pending');
create index payments_review_idx on payments (created_at) where state = 'in_review';
create unique index payments_provider_key on payments (provider, provider_no) where provider_no is not null;
alter table payments enable row level security;
create policy tenant_own on payments to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on payments to :system using (true) with check (true);
grant delete on payments to :system;
grant select, insert, update on payments to :app, :system;

create table refunds (
  id uuid primary key,
  no text not null unique,
  tenant_id uuid not null references tenants (id),
  order_id uuid not null references purchase_orders (id),
  payment_id uuid references payments (id),
  amount_fen bigint not null check (amount_fen > 0),
  way text not null check (way in ('balance', 'origin')),
  state text not null check (state in ('requested', 'processing', 'done', 'refused', 'failed')),
  reason text not null,
  answer text,
  asked_by text not null,
  decided_by text,
  decided_at timestamptz,
  provider_no text,
  created_at timestamptz not null default now(),
  done_at timestamptz
);
create index refunds_order_idx on refunds (order_id, created_at desc);
create index refunds_open_idx on refunds (created_at) where state in ('requested', 'processing');
create unique index refunds_one_open_key on refunds (order_id) where state in ('requested', 'processing');
create index refunds_list_idx on refunds (tenant_id, created_at desc, id desc);
alter table refunds enable row level security;
create policy tenant_own on refunds to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on refunds to :system using (true) with check (true);
grant delete on refunds to :system;
grant select, insert, update on refunds to :app, :system;

-- The plan that a company has, as it was when bought, and what was added to it.
create table company_plans (
  tenant_id uuid primary key references tenants (id),
  item_id uuid not null references catalogue_items (id),
  sku text not null,
  name_zh text not null,
  name_en text not null,
  months int not null,
  price_fen bigint not null,
  quotas jsonb not null,
  started_at timestamptz not null,
  ends_at timestamptz not null,
  -- A smaller plan begins when this one ends.
  next_item_id uuid references catalogue_items (id),
  version int not null default 1
);
alter table company_plans enable row level security;
create policy tenant_own on company_plans to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on company_plans to :system using (true) with check (true);
grant delete on company_plans to :system;
grant select, update (next_item_id, version) on company_plans to :app;
grant select, insert, update on company_plans to :system;

create table plan_expansions (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  order_id uuid not null unique,
  quota text not null,
  quantity int not null check (quantity > 0),
  ends_at timestamptz not null,
  ended boolean not null default false,
  created_at timestamptz not null default now()
);
create index plan_expansions_idx on plan_expansions (tenant_id, ends_at);
create index plan_expansions_due_idx on plan_expansions (ends_at) where not ended;
alter table plan_expansions enable row level security;
create policy tenant_own on plan_expansions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on plan_expansions to :system using (true) with check (true);
grant delete on plan_expansions to :system;
grant select on plan_expansions to :app;
grant select, insert, update on plan_expansions to :system;
