-- SIM cards that the platform sells: what the operator has in stock, where orders are sent, what was shipped.
alter table catalogue_items drop constraint catalogue_items_kind_check;
alter table catalogue_items add check (kind in ('plan', 'expansion', 'sms', 'voice', 'sim'));
alter table purchase_orders drop constraint purchase_orders_kind_check;
alter table purchase_orders add check (kind in ('plan', 'expansion', 'sms', 'voice', 'sim', 'sim_renewal', 'top_up'));

-- Accounts at carriers that sold cards belong to. Companies get a copy that they can use and not read.
create table card_sources (
  id uuid primary key,
  name text not null,
  carrier text not null check (carrier in ('cmcc', 'ctcc')),
  kind text not null check (kind in ('onelink', 'cmp', 'dcp')),
  base_url text not null,
  account text not null,
  -- {password, secretKey}, sealed
  secrets_cipher bytea not null,
  simulated boolean not null default false,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index card_sources_name_key on card_sources (lower(name));
alter table card_sources enable row level security;
create policy system_all on card_sources to :system using (true) with check (true);
grant select, insert, update, delete on card_sources to :system;

create table card_stock (
  id uuid primary key,
  iccid text not null unique,
  source_id uuid not null references card_sources (id),
  msisdn text,
  imsi text,
  form text not null check (form in ('2ff', '3ff', '4ff', 'embedded')),
  use text not null check (use in ('single', 'shared', 'pool')),
  -- The order that it was shipped with, kept when the company is gone; null: free.
  order_id uuid,
  order_no text,
  company_name text,
  created_at timestamptz not null default now()
);
create index card_stock_order_idx on card_stock (order_id) where order_id is not null;
create index card_stock_source_idx on card_stock (source_id);
alter table card_stock enable row level security;
create policy system_all on card_stock to :system using (true) with check (true);
grant select, insert, update, delete on card_stock to :system;

create table card_orders (
  order_id uuid primary key references purchase_orders (id),
  tenant_id uuid not null references tenants (id),
  carrier text not null,
  -- null: a renewal
  form text check (form in ('2ff', '3ff', '4ff', 'embedded')),
  address jsonb,
  -- of a renewal: the cards that get the term
  card_ids uuid[] not null default '{}',
  first_iccid text,
  last_iccid text,
  logistics_company text,
  logistics_no text,
  shipped_at timestamptz,
  received_at timestamptz,
  created_at timestamptz not null default now()
);
create index card_orders_list_idx on card_orders (tenant_id, created_at desc, order_id desc) where form is not null;
create index card_orders_shipped_idx on card_orders (shipped_at) where shipped_at is not null and received_at is null;
alter table card_orders enable row level security;
create policy tenant_own on card_orders to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on card_orders to :system using (true) with check (true);
grant select, insert, update on card_orders to :app, :system;
grant delete on card_orders to :system;

-- The account that came with cards of the platform, and the order that a card came with.
alter table carrier_accounts add column source_id uuid references card_sources (id);
create unique index carrier_accounts_source_key on carrier_accounts (tenant_id, source_id) where source_id is not null;
alter table sim_cards add column order_id uuid references purchase_orders (id) on delete set null;
create index sim_cards_order_idx on sim_cards (order_id) where order_id is not null;
