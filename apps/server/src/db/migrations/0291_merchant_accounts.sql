-- Accounts of companies at WeChat Pay and Alipay: what their end users pay comes to them, not to the platform.
create table merchant_accounts (
  tenant_id uuid not null references tenants (id),
  kind text not null check (kind in ('wechat', 'alipay')),
  enabled boolean not null default false,
  base_url text not null,
  settings jsonb not null default '{}',
  secrets_cipher bytea not null,
  test_state text check (test_state in ('ok', 'failed')),
  test_said text not null default '',
  tested_at timestamptz,
  version int not null default 1,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, kind)
);
alter table merchant_accounts enable row level security;
create policy tenant_own on merchant_accounts to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- Whoever sees a part of the company only, an end user say, sees none of it.
create policy in_scope on merchant_accounts as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on merchant_accounts to :system using (true) with check (true);
grant select, insert, update, delete on merchant_accounts to :app, :system;

alter table meter_settings drop constraint meter_settings_online_check;
alter table meter_settings add constraint meter_settings_online_check check (online in ('none', 'simulated', 'merchant'));

alter table meter_payments drop constraint meter_payments_way_check;
alter table meter_payments add constraint meter_payments_way_check check (way in ('offline', 'simulated', 'wechat', 'alipay'));
alter table meter_payments drop constraint meter_payments_state_check;
alter table meter_payments add constraint meter_payments_state_check check (state in ('pending', 'succeeded', 'failed', 'closed'));
alter table meter_payments
  add column code_url text,
  add column page_url text,
  -- the provider's number
  add column provider_no text,
  add column expires_at timestamptz,
  -- when the provider is asked next; null: never
  add column ask_at timestamptz,
  add column asks int not null default 0,
  -- what the provider said where it did not do it
  add column said text not null default '';
create index meter_payments_ask_idx on meter_payments (ask_at) where ask_at is not null;

create trigger check_transition before update of state on meter_payments for each row when (old.state is distinct from new.state)
  execute function check_transition('pending>succeeded', 'failed>succeeded', 'closed>succeeded', 'pending>failed', 'pending>closed');
