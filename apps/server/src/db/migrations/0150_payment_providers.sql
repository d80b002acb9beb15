-- Providers of payments that the operator set up with keys. They belong to the platform, not to a company.
create table payment_providers (
  kind text primary key check (kind in ('wechat', 'alipay')),
  -- Offered to those who pay. What was begun with it goes on when it no longer is.
  enabled boolean not null default false,
  base_url text not null,
  -- {appId, merchantId, serial, platformKeyId}
  settings jsonb not null,
  -- {privateKey, platformKey, apiKey}, sealed
  secrets_cipher bytea not null,
  test_state text check (test_state in ('ok', 'failed')),
  test_said text not null default '',
  tested_at timestamptz,
  version int not null default 1,
  updated_at timestamptz not null default now()
);
alter table payment_providers enable row level security;
create policy offered on payment_providers for select to :app using (true);
create policy system_all on payment_providers to :system using (true) with check (true);
grant select (kind, enabled) on payment_providers to :app;
grant select, insert, update, delete on payment_providers to :system;

-- When a provider is asked about it next; null: there is nothing to ask.
alter table payments add column ask_at timestamptz;
alter table payments add column asks int not null default 0;
create index payments_ask_idx on payments (ask_at) where ask_at is not null;
alter table refunds add column ask_at timestamptz;
alter table refunds add column asks int not null default 0;
-- In the provider's words, why it is not done.
alter table refunds add column said text not null default '';
create index refunds_ask_idx on refunds (ask_at) where ask_at is not null;
