-- People who are told of alarms, and what was sent to them.
create table contacts (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  email text not null,
  locale text not null default 'zh' check (locale in ('zh', 'en')),
  -- told of alarms of this level and graver ones
  min_level smallint not null default 3 check (min_level between 1 and 5),
  enabled boolean not null default true,
  verified_at timestamptz,
  -- told of alarms raised after this moment
  since timestamptz not null default now(),
  code_hash bytea,
  code_sent_at timestamptz,
  code_tries int not null default 0,
  codes_today int not null default 0,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create index contacts_tenant_idx on contacts (tenant_id, id);
create unique index contacts_email_key on contacts (tenant_id, lower(email));
alter table contacts enable row level security;
create policy tenant_own on contacts to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on contacts to :system using (true) with check (true);
grant select, insert, update, delete on contacts to :app, :system;

-- One message about one alarm to one contact: what waits to be sent, and what became of it.
create table notification_records (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  alarm_id uuid not null references alarms (id) on delete cascade,
  contact_id uuid references contacts (id) on delete set null,
  contact_name text not null,
  channel text not null check (channel in ('email')),
  kind text not null check (kind in ('raised', 'cleared')),
  address text not null,
  locale text not null,
  state text not null default 'pending' check (state in ('pending', 'sending', 'sent', 'failed')),
  attempts int not null default 0,
  due_at timestamptz not null,
  claimed_at timestamptz,
  -- went out with this one, in one message
  merged_into uuid,
  -- the server ended while it was sent: it may have arrived twice
  maybe_twice boolean not null default false,
  reason text,
  sent_at timestamptz,
  created_at timestamptz not null
);
create unique index notification_records_once_key on notification_records (alarm_id, contact_id, channel, kind);
create index notification_records_tenant_idx on notification_records (tenant_id, created_at desc, id desc);
create index notification_records_due_idx on notification_records (contact_id, due_at) where state in ('pending', 'sending');
create index notification_records_claimed_idx on notification_records (contact_id, claimed_at);
alter table notification_records enable row level security;
create policy tenant_own on notification_records to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on notification_records to :system using (true) with check (true);
grant select, update on notification_records to :app;
grant select, insert, update, delete on notification_records to :system;
