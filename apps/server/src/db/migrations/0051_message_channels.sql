-- Ways in which messages about alarms leave, who gets them when, and what became of them.

alter table contacts alter column email drop not null;
alter table contacts
  add column phone text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  add column phone_verified_at timestamptz,
  add column phone_code_hash bytea,
  add column phone_code_sent_at timestamptz,
  add column phone_code_tries int not null default 0,
  add column phone_codes_today int not null default 0,
  add column wechat_openid text,
  -- told only by a step of the escalation
  add column escalation_only boolean not null default false,
  -- {from, to, zone, exceptLevel}: messages wait for its end, but for this level and graver ones
  add column quiet jsonb,
  -- messages within an hour; what is more waits and goes out as one
  add column per_hour int check (per_hour between 1 and 180),
  add constraint contacts_reachable check (email is not null or phone is not null or wechat_openid is not null);
create unique index contacts_phone_key on contacts (tenant_id, phone);

create table contact_groups (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index contact_groups_name_key on contact_groups (tenant_id, lower(name));
alter table contact_groups enable row level security;
create policy tenant_own on contact_groups to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on contact_groups to :system using (true) with check (true);
grant select, insert, update, delete on contact_groups to :app, :system;

create table contact_group_members (
  tenant_id uuid not null references tenants (id),
  group_id uuid not null references contact_groups (id) on delete cascade,
  contact_id uuid not null references contacts (id) on delete cascade,
  primary key (group_id, contact_id)
);
create index contact_group_members_contact_idx on contact_group_members (contact_id);
alter table contact_group_members enable row level security;
create policy tenant_own on contact_group_members to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on contact_group_members to :system using (true) with check (true);
grant select, insert, update, delete on contact_group_members to :app, :system;

create table notification_channels (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  kind text not null check (kind in ('email', 'sms', 'voice', 'dingtalk', 'wecom', 'feishu', 'webhook', 'wechat')),
  provider text not null check (provider in ('smtp', 'aliyun', 'tencent', 'robot', 'webhook', 'wechat')),
  -- what may be shown
  config jsonb not null,
  -- what is never shown again, sealed
  secrets bytea,
  -- goes to a simulator that this server started
  simulated boolean not null default false,
  enabled boolean not null default true,
  -- the provider refuses the account itself: nothing is sent until somebody changes it
  fault text,
  -- the address to which receipts come
  callback_id uuid not null default gen_random_uuid(),
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index notification_channels_name_key on notification_channels (tenant_id, lower(name));
create unique index notification_channels_callback_key on notification_channels (callback_id);
alter table notification_channels enable row level security;
create policy tenant_own on notification_channels to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on notification_channels to :system using (true) with check (true);
grant select, insert, update, delete on notification_channels to :app, :system;

-- One row a company; without it alarms of every level go out by mail.
create table notification_policies (
  tenant_id uuid primary key references tenants (id),
  -- {"1": ["email", "sms", channel id]}
  levels jsonb not null,
  -- [{afterMinutes, minLevel, contactIds, groupIds, channels}]
  escalation jsonb not null default '[]',
  recovery boolean not null default true,
  quiet jsonb,
  version int not null default 1,
  -- escalation begins with alarms raised after this moment
  changed_at timestamptz not null default now()
);
alter table notification_policies enable row level security;
create policy tenant_own on notification_policies to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on notification_policies to :system using (true) with check (true);
grant select, insert, update, delete on notification_policies to :app, :system;

-- Who is told of the alarms of one trigger, how often again, and how often a day.
create table trigger_messages (
  trigger_id uuid primary key references triggers (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  repeat_minutes int check (repeat_minutes between 1 and 10080),
  per_day int check (per_day between 1 and 1000),
  -- both empty: whoever is told of the level
  contact_ids uuid[] not null default '{}',
  group_ids uuid[] not null default '{}',
  version int not null default 1
);
alter table trigger_messages enable row level security;
create policy tenant_own on trigger_messages to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on trigger_messages to :system using (true) with check (true);
grant select, insert, update, delete on trigger_messages to :app, :system;

-- A company's own words; without a row the built-in ones.
create table notification_templates (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  channel text not null check (channel in ('inbox', 'email', 'sms', 'voice', 'dingtalk', 'wecom', 'feishu', 'webhook', 'wechat')),
  event text not null check (event in ('raised', 'cleared')),
  locale text not null check (locale in ('zh', 'en')),
  subject text not null default '',
  body text not null,
  -- of the carrier, for texts, calls and WeChat
  code text not null default '',
  approval text not null default 'none' check (approval in ('none', 'pending', 'approved', 'rejected')),
  approval_reason text,
  version int not null default 1,
  changed_at timestamptz not null default now()
);
create unique index notification_templates_key on notification_templates (tenant_id, channel, event, locale);
alter table notification_templates enable row level security;
create policy tenant_own on notification_templates to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on notification_templates to :system using (true) with check (true);
grant select, insert, update, delete on notification_templates to :app, :system;

create table trigger_presets (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  note text not null default '',
  -- triggers as `POST /triggers` takes them, without their scope
  triggers jsonb not null,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create unique index trigger_presets_name_key on trigger_presets (tenant_id, lower(name));
alter table trigger_presets enable row level security;
create policy tenant_own on trigger_presets to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on trigger_presets to :system using (true) with check (true);
grant select, insert, update, delete on trigger_presets to :app, :system;

alter table notification_records
  drop constraint notification_records_channel_check,
  drop constraint notification_records_kind_check,
  drop constraint notification_records_state_check,
  alter column alarm_id drop not null,
  add column channel_id uuid references notification_channels (id) on delete set null,
  -- whose turn it is: a contact, a channel that is its own receiver, or the inboxes of the company
  add column recipient uuid,
  -- the step of the escalation, or the number of the repeat
  add column step int not null default 0,
  add column title text,
  add column content text,
  add column link_used_at timestamptz,
  -- what the provider calls it
  add column provider_ref text,
  add column receipt text check (receipt in ('delivered', 'failed')),
  add column receipt_reason text,
  add column receipt_at timestamptz,
  -- units: parts of a text, calls
  add column cost int not null default 0,
  add column simulated boolean not null default false;
update notification_records set recipient = coalesce(contact_id, tenant_id);
alter table notification_records
  alter column recipient set not null,
  add constraint notification_records_channel_check
    check (channel in ('inbox', 'email', 'sms', 'voice', 'dingtalk', 'wecom', 'feishu', 'webhook', 'wechat')),
  add constraint notification_records_kind_check
    check (kind in ('raised', 'cleared', 'repeated', 'escalated', 'notice', 'test', 'resent')),
  add constraint notification_records_state_check check (state in ('pending', 'sending', 'sent', 'failed', 'cancelled'));
drop index notification_records_once_key;
create unique index notification_records_once_key on notification_records (alarm_id, recipient, channel, kind, step)
  where kind in ('raised', 'cleared', 'repeated', 'escalated');
create index notification_records_alarm_idx on notification_records (alarm_id, created_at);
drop index notification_records_due_idx;
create index notification_records_due_idx on notification_records (due_at) where state in ('pending', 'sending');
drop index notification_records_claimed_idx;
create index notification_records_claimed_idx on notification_records (recipient, claimed_at);
create index notification_records_ref_idx on notification_records (provider_ref) where provider_ref is not null;
create index notification_records_contact_idx on notification_records (contact_id);
create index notification_records_channel_idx on notification_records (channel_id);
grant insert on notification_records to :app;
