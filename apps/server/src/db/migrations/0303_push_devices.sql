-- Browsers and installed apps to which messages about alarms are pushed (RFC 8030), each a device of one contact.
alter table contacts add column has_push boolean not null default false;
alter table contacts drop constraint contacts_reachable,
  add constraint contacts_reachable check (email is not null or phone is not null or wechat_openid is not null or has_push);

create table push_devices (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  contact_id uuid not null references contacts (id) on delete cascade,
  -- who registered it: it ends with that login
  login_id uuid not null references logins (id) on delete cascade,
  name text not null,
  -- the address of the browser's push service and the keys to encrypt for it, sealed; by the hash it is known again
  secrets bytea not null,
  endpoint_hash bytea not null,
  sent_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index push_devices_endpoint_key on push_devices (endpoint_hash);
create index push_devices_contact_idx on push_devices (contact_id);
create index push_devices_login_idx on push_devices (login_id);
create index push_devices_tenant_idx on push_devices (tenant_id, id);
alter table push_devices enable row level security;
create policy tenant_own on push_devices to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- With its contact.
create policy in_scope on push_devices as restrictive to :app
  using ((select scope_open()) or exists (select 1 from contacts c where c.id = contact_id))
  with check ((select scope_open()) or exists (select 1 from contacts c where c.id = contact_id));
create policy system_all on push_devices to :system using (true) with check (true);
grant select, insert, update, delete on push_devices to :app, :system;

alter table notification_templates drop constraint notification_templates_channel_check,
  add constraint notification_templates_channel_check
    check (channel in ('inbox', 'email', 'sms', 'voice', 'dingtalk', 'wecom', 'feishu', 'webhook', 'wechat', 'push'));
alter table notification_records drop constraint notification_records_channel_check,
  add constraint notification_records_channel_check
    check (channel in ('inbox', 'email', 'sms', 'voice', 'dingtalk', 'wecom', 'feishu', 'webhook', 'wechat', 'push'));

-- A push reaches only who asked for it, and costs nothing: it goes where mail goes until the company says otherwise.
alter table notification_policies alter column customer_ways set default '{email,wechat,push}';
update notification_policies set customer_ways = customer_ways || '{push}'
  where 'email' = any (customer_ways) and not 'push' = any (customer_ways);
update notification_policies set levels = (
  select coalesce(jsonb_object_agg(key, case when value ? 'email' and not value ? 'push' then value || '["push"]' else value end), '{}')
  from jsonb_each(levels));
