-- Subscribe messages of companies' mini-programs at WeChat: one for each permission that a person gave.
alter table contacts add column has_applet boolean not null default false;
alter table contacts drop constraint contacts_reachable,
  add constraint contacts_reachable
    check (email is not null or phone is not null or wechat_openid is not null or has_push or has_applet);

create table applet_permissions (
  contact_id uuid not null references contacts (id) on delete cascade,
  template_id text not null,
  tenant_id uuid not null references tenants (id),
  -- who gave them: they end with that login
  login_id uuid not null references logins (id) on delete cascade,
  app_id text not null,
  openid text not null,
  -- messages that may still be sent, and those that were
  remaining int not null check (remaining >= 0),
  sent int not null default 0,
  accepted_at timestamptz not null default now(),
  primary key (contact_id, template_id)
);
create index applet_permissions_login_idx on applet_permissions (login_id);
create index applet_permissions_openid_idx on applet_permissions (tenant_id, openid);
alter table applet_permissions enable row level security;
create policy tenant_own on applet_permissions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
-- With its contact.
create policy in_scope on applet_permissions as restrictive to :app
  using ((select scope_open()) or exists (select 1 from contacts c where c.id = contact_id))
  with check ((select scope_open()) or exists (select 1 from contacts c where c.id = contact_id));
create policy system_all on applet_permissions to :system using (true) with check (true);
grant select, insert, update, delete on applet_permissions to :app, :system;

alter table notification_templates drop constraint notification_templates_channel_check,
  add constraint notification_templates_channel_check
    check (channel in ('inbox', 'email', 'sms', 'voice', 'dingtalk', 'wecom', 'feishu', 'webhook', 'wechat', 'push', 'applet'));
alter table notification_records drop constraint notification_records_channel_check,
  add constraint notification_records_channel_check
    check (channel in ('inbox', 'email', 'sms', 'voice', 'dingtalk', 'wecom', 'feishu', 'webhook', 'wechat', 'push', 'applet'));

-- It reaches only who asked for it, and costs nothing: it goes where a push goes until the company says otherwise.
alter table notification_policies alter column customer_ways set default '{email,wechat,push,applet}';
update notification_policies set customer_ways = customer_ways || '{applet}'
  where 'push' = any (customer_ways) and not 'applet' = any (customer_ways);
update notification_policies set levels = (
  select coalesce(jsonb_object_agg(key, case when value ? 'push' and not value ? 'applet' then value || '["applet"]' else value end), '{}')
  from jsonb_each(levels));

-- Templates at WeChat of alarms of a preset's triggers: {"wechat": {"code", "body"}, "applet": …}; others: the company's.
alter table trigger_presets add column templates jsonb not null default '{}';
alter table triggers add column preset_id uuid references trigger_presets (id) on delete set null;
create index triggers_preset_idx on triggers (preset_id) where preset_id is not null;
