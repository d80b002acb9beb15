-- Who a device says it is (docs/adr/0044-device-identity.md): access tokens, the product's secret and dynamic
-- registration, X.509, topic rights, limits of flow.

alter table devices
  -- HMAC sign-in needs the secret itself, also while the one before still counts
  add column previous_secret_cipher bytea,
  add column access_token_hash bytea,
  add column access_token_cipher bytea,
  add column previous_token_hash bytea,
  add column previous_token_until timestamptz,
  -- {"topics"?: {"publish"?: {"allow", "deny"}, "subscribe"?: …}, "messagesPerSecond"?: number}: what this device does otherwise
  add column access jsonb not null default '{}';
create unique index devices_token_key on devices (access_token_hash) where access_token_hash is not null;
create index devices_previous_token_idx on devices (previous_token_hash) where previous_token_hash is not null;
-- a device that gives its number alone, on a port shared by all
create index devices_bare_number_idx on devices (device_no) where recycled_at is null;

alter table products
  add column registration text not null default 'off' check (registration in ('off', 'allow_new', 'pre_registered', 'approve')),
  add column secret_hash bytea,
  add column secret_cipher bytea,
  add column previous_secret_hash bytea,
  add column previous_secret_until timestamptz,
  add column access jsonb not null default '{}';

-- devices that asked to be registered and wait for somebody's yes
create table device_registrations (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  product_id uuid not null references products (id) on delete cascade,
  device_no text not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'rejected')),
  address text not null default '',
  asks int not null default 1,
  first_asked_at timestamptz not null default now(),
  last_asked_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  unique (product_id, device_no)
);
create index device_registrations_list_idx on device_registrations (product_id, state, last_asked_at desc, id);
create index device_registrations_tenant_idx on device_registrations (tenant_id);
alter table device_registrations enable row level security;
create policy tenant_own on device_registrations to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on device_registrations to :system using (true) with check (true);
create policy in_scope on device_registrations as restrictive to :app
  using ((select scope_open()) or exists (select 1 from products p where p.id = product_id))
  with check ((select scope_open()) or exists (select 1 from products p where p.id = product_id));
grant select, insert, update, delete on device_registrations to :app, :system;

-- certificate authorities of companies: a client certificate that one of them signed is a device of its company
create table device_cas (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  -- PEM
  certificate text not null,
  subject text not null,
  -- SHA-256 of the subject's DER: what a client certificate names as its issuer
  subject_hash bytea not null,
  fingerprint text not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  -- unproven: uploaded, and nobody has shown yet that he holds the key
  state text not null default 'unproven' check (state in ('unproven', 'active', 'disabled')),
  proof_code text,
  -- sealed PKCS #8; null: the key stayed with the company
  key_cipher bytea,
  -- the company was told that it ends soon
  warned_at timestamptz,
  created_at timestamptz not null default now(),
  unique (tenant_id, fingerprint)
);
create index device_cas_subject_idx on device_cas (subject_hash);
alter table device_cas enable row level security;
create policy tenant_own on device_cas to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on device_cas to :system using (true) with check (true);
create policy telemetry_read on device_cas for select to :telemetry using (true);
grant select, insert, update, delete on device_cas to :app, :system;
grant select (id, tenant_id, certificate, subject_hash, not_after, state) on device_cas to :telemetry;

-- certificates made in the console, and those made elsewhere that are refused from now on
create table device_certificates (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  ca_id uuid not null references device_cas (id) on delete cascade,
  device_id uuid references devices (id) on delete cascade,
  serial text not null,
  subject text not null,
  fingerprint text,
  not_before timestamptz,
  not_after timestamptz,
  state text not null default 'active' check (state in ('active', 'revoked')),
  revoked_at timestamptz,
  warned_at timestamptz,
  created_at timestamptz not null default now(),
  unique (ca_id, serial)
);
create index device_certificates_device_idx on device_certificates (device_id);
create index device_certificates_tenant_idx on device_certificates (tenant_id);
alter table device_certificates enable row level security;
create policy tenant_own on device_certificates to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on device_certificates to :system using (true) with check (true);
create policy telemetry_read on device_certificates for select to :telemetry using (true);
create policy in_scope on device_certificates as restrictive to :app
  using ((select scope_open()) or exists (select 1 from devices d where d.id = device_id))
  with check ((select scope_open()) or exists (select 1 from devices d where d.id = device_id));
grant select, insert, update, delete on device_certificates to :app, :system;
grant select (ca_id, serial, state) on device_certificates to :telemetry;

-- ───────────── flow ─────────────
-- What a company sent in a day of its own, and how often its limits held it back; written by the gateway now and then.
create table company_flow (
  tenant_id uuid not null references tenants (id),
  day date not null,
  messages bigint not null default 0,
  points bigint not null default 0,
  slowed bigint not null default 0,
  refused bigint not null default 0,
  -- the most messages in one second
  peak int not null default 0,
  primary key (tenant_id, day)
);
alter table company_flow enable row level security;
create policy tenant_own on company_flow for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on company_flow to :system using (true) with check (true);
create policy telemetry_all on company_flow to :telemetry using (true) with check (true);
grant select on company_flow to :app;
grant select, delete on company_flow to :system;
grant select, insert, update on company_flow to :telemetry;

-- Devices that a limit held back, by day; a device that keeps within its limits has no row.
create table device_flow (
  device int not null references devices (num) on delete cascade,
  tenant_id uuid not null references tenants (id),
  day date not null,
  slowed bigint not null default 0,
  refused bigint not null default 0,
  last_at timestamptz not null,
  primary key (device, day)
);
create index device_flow_tenant_idx on device_flow (tenant_id);
alter table device_flow enable row level security;
create policy tenant_own on device_flow for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on device_flow to :system using (true) with check (true);
create policy telemetry_all on device_flow to :telemetry using (true) with check (true);
create policy in_scope on device_flow as restrictive for select to :app
  using ((select scope_open()) or exists (select 1 from devices d where d.num = device));
grant select on device_flow to :app;
grant select, delete on device_flow to :system;
grant select, insert, update on device_flow to :telemetry;
