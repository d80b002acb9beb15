-- Registration, protection of the sign-in, mail addresses, invitations, consents.

-- ───────────── logins ─────────────
alter table logins add column email text;
-- device group a member stands in, the start of the data scope “own group and below”
alter table logins add column if not exists group_id uuid references groups (id) on delete set null;
-- when this person last left the company (state left); what they made was handed over or stays without an owner
alter table logins add column left_at timestamptz;
alter table logins drop constraint logins_state_check;
alter table logins add constraint logins_state_check check (state in ('active', 'frozen', 'left'));
create unique index logins_email_key on logins (lower(email)) where email is not null;
create index logins_list_idx on logins (tenant_id, created_at, id);
-- Members are managed under their own company's policy; kind, company and password stay with the sign-in.
grant update (display_name, phone, email, group_id, state, left_at, token_epoch, locale, version, updated_at) on logins to :app;

-- ───────────── failed sign-ins ─────────────
-- One row per failed try, whether the name exists or not: counting must not tell. A success removes the name's rows.
create table sign_in_failures (
  id bigint generated always as identity primary key,
  -- keyed hash of the login or of the typed name (people type passwords there): made with a key, so that it cannot be looked up
  subject bytea not null,
  login_id uuid references logins (id) on delete cascade,
  -- IPv4 address or IPv6 /64 network
  address text not null,
  at timestamptz not null
);
create index sign_in_failures_subject_idx on sign_in_failures (subject, at);
create index sign_in_failures_address_idx on sign_in_failures (address, at);
create index sign_in_failures_at_idx on sign_in_failures (at);
create index sign_in_failures_login_idx on sign_in_failures (login_id, at) where login_id is not null;
alter table sign_in_failures enable row level security;
-- logins are seen under their own policy, so a company sees the failures of its own members only
create policy tenant_own on sign_in_failures for select to :app using (login_id in (select id from logins));
create policy system_all on sign_in_failures to :system using (true) with check (true);
grant select (login_id, at) on sign_in_failures to :app;
grant select, insert, update, delete on sign_in_failures to :system;

-- Captchas are signed, not stored; one that was answered is remembered until it would have expired.
create table used_captchas (
  id uuid primary key,
  expires_at timestamptz not null
);
create index used_captchas_expiry_idx on used_captchas (expires_at);
alter table used_captchas enable row level security;
create policy system_all on used_captchas to :system using (true) with check (true);
grant select, insert, update, delete on used_captchas to :system;

-- ───────────── codes by mail ─────────────
create table mail_codes (
  id uuid primary key,
  email text not null,
  purpose text not null,
  code_hash bytea not null,
  attempts int not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mail_codes_email_idx on mail_codes (email, purpose, created_at desc);
alter table mail_codes enable row level security;
create policy system_all on mail_codes to :system using (true) with check (true);
grant select, insert, update, delete on mail_codes to :system;

-- ───────────── links that set a new password ─────────────
create table password_links (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null references logins (id) on delete cascade,
  token_hash bytea not null unique,
  -- the administrator who sent it; null: asked for by the person
  made_by uuid references logins (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_links_login_idx on password_links (login_id, created_at desc);
alter table password_links enable row level security;
create policy system_all on password_links to :system using (true) with check (true);
grant select, insert, update, delete on password_links to :system;

-- ───────────── invitations ─────────────
create table invitations (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  channel text not null check (channel in ('mail', 'sms')),
  -- mail address or phone, normalised
  address text not null,
  display_name text not null default '',
  role_ids uuid[] not null default '{}',
  group_id uuid references groups (id) on delete set null,
  locale text not null default 'zh' check (locale in ('zh', 'en')),
  token_hash bytea not null unique,
  invited_by uuid references logins (id) on delete set null,
  sent_count int not null default 1,
  sent_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid references logins (id) on delete set null,
  revoked_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- one open invitation per address and company
create unique index invitations_open_key on invitations (tenant_id, address) where accepted_at is null and revoked_at is null;
create index invitations_tenant_idx on invitations (tenant_id, created_at, id);
alter table invitations enable row level security;
create policy tenant_own on invitations to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on invitations to :system using (true) with check (true);
grant select, insert, update, delete on invitations to :app, :system;

-- ───────────── consents ─────────────
-- who agreed to which version of which document; never changed
create table consents (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid references logins (id) on delete set null,
  document text not null,
  version text not null,
  at timestamptz not null,
  ip text
);
create index consents_tenant_idx on consents (tenant_id, at desc);
create index consents_login_idx on consents (login_id, document, at desc);
alter table consents enable row level security;
create policy tenant_own on consents to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on consents to :system using (true) with check (true);
grant select, insert on consents to :app, :system;
