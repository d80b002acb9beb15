-- Sign-in security: password rules, second factors, passkeys, sessions, sign-in history, step-up proofs, closing, OIDC.

alter table tenants add column if not exists settings jsonb not null default '{}';
alter table tenants add column if not exists closed_at timestamptz;
alter table roles add column if not exists require_second_factor boolean not null default false;

alter table logins
  add column if not exists email text,
  add column if not exists password_changed_at timestamptz,
  -- set by whoever gives somebody else a password: it is good for one sign-in
  add column if not exists must_change_password boolean not null default false,
  -- ways of the second step that are turned on: totp, passkey, sms, mail
  add column if not exists second_factors text[] not null default '{}',
  add column if not exists closed_at timestamptz;

alter table refresh_families
  -- last request, to the minute; last_used_at is the last refresh
  add column if not exists last_seen_at timestamptz not null default now(),
  add column if not exists last_ip text,
  add column if not exists method text;

-- earlier passwords, so that they do not return
create table password_history (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null references logins (id) on delete cascade,
  password_hash text not null,
  created_at timestamptz not null default now()
);
create index password_history_login_idx on password_history (login_id, created_at desc);
alter table password_history enable row level security;
create policy system_all on password_history to :system using (true) with check (true);
grant select, insert, update, delete on password_history to :system;

-- Whoever stores a password (change, reset, invitation, the command line): its age and its predecessor are kept.
create function login_password_stored() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    if new.password_hash is not null then new.password_changed_at := coalesce(new.password_changed_at, now()); end if;
    return new;
  end if;
  if new.password_hash is not distinct from old.password_hash then return new; end if;
  if new.password_changed_at is not distinct from old.password_changed_at then new.password_changed_at := now(); end if;
  if old.password_hash is not null and new.password_hash is not null then
    insert into password_history (id, tenant_id, login_id, password_hash, created_at)
    values (gen_random_uuid(), old.tenant_id, old.id, old.password_hash, new.password_changed_at);
    delete from password_history h where h.login_id = old.id and h.id not in (
      select id from password_history where login_id = old.id order by created_at desc, id desc limit 24);
  end if;
  return new;
end $$;
create trigger login_password_stored before insert or update of password_hash on logins
  for each row execute function login_password_stored();

-- ───────────── second factors ─────────────
create table login_totp (
  login_id uuid primary key references logins (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  -- sealed with a key of the installation, bound to the login
  secret_cipher bytea,
  -- made, not yet confirmed by a code
  pending_cipher bytea,
  confirmed_at timestamptz,
  -- a code counts once: only a later time step than this is taken
  last_step bigint not null default 0,
  created_at timestamptz not null default now()
);
alter table login_totp enable row level security;
create policy system_all on login_totp to :system using (true) with check (true);
grant select, insert, update, delete on login_totp to :system;

create table backup_codes (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null references logins (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  created_at timestamptz not null default now()
);
create index backup_codes_login_idx on backup_codes (login_id);
alter table backup_codes enable row level security;
create policy system_all on backup_codes to :system using (true) with check (true);
grant select, insert, update, delete on backup_codes to :system;

create table passkeys (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null references logins (id) on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null default 0,
  transports text[] not null default '{}',
  rp_id text not null,
  name text not null,
  synced boolean not null default false,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_login_idx on passkeys (login_id);
alter table passkeys enable row level security;
create policy system_all on passkeys to :system using (true) with check (true);
grant select, insert, update, delete on passkeys to :system;

-- a challenge is good for one ceremony, of one kind, within five minutes
create table webauthn_challenges (
  id uuid primary key,
  challenge text not null,
  purpose text not null check (purpose in ('register', 'sign_in', 'second_factor', 'proof')),
  login_id uuid references logins (id) on delete cascade,
  rp_id text not null,
  origin text not null,
  expires_at timestamptz not null
);
create index webauthn_challenges_expiry_idx on webauthn_challenges (expires_at);
alter table webauthn_challenges enable row level security;
create policy system_all on webauthn_challenges to :system using (true) with check (true);
grant select, insert, update, delete on webauthn_challenges to :system;

-- a sign-in that stands half open: the password was right, something is still asked for
create table sign_in_tickets (
  id uuid primary key,
  token_hash bytea not null unique,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null references logins (id) on delete cascade,
  purpose text not null check (purpose in ('second_factor', 'setup', 'password')),
  client_id text not null,
  method text not null,
  attempts int not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_tickets_login_idx on sign_in_tickets (login_id, created_at);
create index sign_in_tickets_expiry_idx on sign_in_tickets (expires_at);
alter table sign_in_tickets enable row level security;
create policy system_all on sign_in_tickets to :system using (true) with check (true);
grant select, insert, update, delete on sign_in_tickets to :system;

-- wrong second factors and proofs: whoever knows the password may not try codes by opening ticket after ticket
create table factor_failures (
  login_id uuid not null references logins (id) on delete cascade,
  at timestamptz not null
);
create index factor_failures_idx on factor_failures (login_id, at);
alter table factor_failures enable row level security;
create policy system_all on factor_failures to :system using (true) with check (true);
grant select, insert, delete on factor_failures to :system;

-- Codes go to signed-in people for more than these purposes now: second step, proof, password.
alter table sms_codes drop constraint sms_codes_purpose_check;

-- “it is me”, per session
create table session_proofs (
  family_id uuid primary key references refresh_families (id) on delete cascade,
  method text not null,
  proven_at timestamptz not null
);
alter table session_proofs enable row level security;
create policy system_all on session_proofs to :system using (true) with check (true);
grant select, insert, update, delete on session_proofs to :system;

-- ───────────── sign-in history ─────────────
create table sign_in_events (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid references logins (id) on delete set null,
  username text not null,
  at timestamptz not null,
  method text not null,
  result text not null check (result in ('ok', 'refused', 'second_factor')),
  reason text,
  ip text,
  -- this_machine, intranet, unknown, or the name of a place
  place text not null,
  network text,
  client text not null,
  user_agent text not null default '',
  client_id text not null default '',
  new_device boolean not null default false
);
create index sign_in_events_login_idx on sign_in_events (login_id, at desc, id desc);
create index sign_in_events_tenant_idx on sign_in_events (tenant_id, at desc, id desc);
alter table sign_in_events enable row level security;
create policy tenant_own on sign_in_events for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on sign_in_events to :system using (true) with check (true);
grant select on sign_in_events to :app;
grant select, insert, update, delete on sign_in_events to :system;

-- ───────────── closing ─────────────
create table company_closings (
  tenant_id uuid primary key references tenants (id),
  requested_by uuid references logins (id) on delete set null,
  requested_at timestamptz not null,
  due_at timestamptz not null,
  frozen_at timestamptz,
  purged_at timestamptz,
  -- files and telemetry, which no transaction removes, are gone too
  emptied_at timestamptz
);
alter table company_closings enable row level security;
create policy tenant_own on company_closings for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on company_closings to :system using (true) with check (true);
grant select on company_closings to :app;
grant select, insert, update, delete on company_closings to :system;

-- ───────────── OpenID Connect ─────────────
create table oidc_providers (
  tenant_id uuid primary key references tenants (id),
  enabled boolean not null default false,
  issuer text not null,
  client_id text not null,
  secret_cipher bytea,
  scopes text not null default 'openid profile email',
  domain text,
  label text not null default '',
  create_members boolean not null default false,
  role_id uuid references roles (id) on delete set null,
  version int not null default 1,
  updated_at timestamptz not null default now()
);
create unique index oidc_providers_domain_key on oidc_providers (lower(domain)) where domain is not null;
alter table oidc_providers enable row level security;
create policy system_all on oidc_providers to :system using (true) with check (true);
grant select, insert, update, delete on oidc_providers to :system;

-- a sign-in under way at a provider
create table oidc_flows (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  -- set: the identity is to be linked to this login
  login_id uuid references logins (id) on delete cascade,
  state_hash bytea not null unique,
  -- the browser that began it, by its cookie
  browser_hash bytea not null,
  secrets_cipher bytea not null,
  expires_at timestamptz not null
);
create index oidc_flows_expiry_idx on oidc_flows (expires_at);
alter table oidc_flows enable row level security;
create policy system_all on oidc_flows to :system using (true) with check (true);
grant select, insert, update, delete on oidc_flows to :system;

create table login_identities (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null references logins (id) on delete cascade,
  issuer text not null,
  subject text not null,
  label text not null default '',
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  unique (tenant_id, issuer, subject)
);
create index login_identities_login_idx on login_identities (login_id);
alter table login_identities enable row level security;
create policy system_all on login_identities to :system using (true) with check (true);
grant select, insert, update, delete on login_identities to :system;

-- A product's row goes only with its company; then its properties go too. Without this no company with a published product
-- could ever be deleted.
alter table product_properties drop constraint product_properties_product_num_fkey,
  add constraint product_properties_product_num_fkey foreign key (product_num) references products (num) on delete cascade;

-- Empties one table of a company that is closed for good, also a table that nobody else may delete from (usage counters,
-- records of support access). Runs as the owner, so it looks itself whether the company is frozen for its closing.
create function purge_company_table(what text, company uuid) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  removed bigint;
begin
  if what ~ '^audit_' or what in ('tenants', 'consents', 'company_closings', 'device_purges') then
    raise exception '% outlives the company', what using errcode = '42501';
  end if;
  if not exists (select 1 from company_closings where tenant_id = company and frozen_at is not null and purged_at is null) then
    raise exception 'not a company to be deleted' using errcode = '42501';
  end if;
  execute format('delete from %I where tenant_id = $1', what) using company;
  get diagnostics removed = row_count;
  return removed;
end
$$;
revoke all on function purge_company_table(text, uuid) from public;
grant execute on function purge_company_table(text, uuid) to :system;
