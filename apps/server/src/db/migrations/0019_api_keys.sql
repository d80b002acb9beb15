-- API keys of programs, what they called, and how it went (docs/adr/0053-api-keys.md).

create table api_keys (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  -- the member it stands on: it never may more than he may at the moment of the call
  made_by uuid not null references logins (id) on delete cascade,
  name text not null,
  description text not null default '',
  environment text not null default 'production' check (environment in ('production', 'test')),
  -- twk_ and eight characters: shown, and the client_id
  prefix text not null unique,
  -- SHA-256 of the whole text; 256 random bits, so that a slow hash would add nothing
  hash bytea not null unique,
  -- raised by every rotation; short tokens name it
  generation int not null default 1,
  -- the text before the last rotation, while it is still taken
  previous_prefix text unique,
  previous_hash bytea unique,
  previous_until timestamptz,
  scopes text[] not null,
  -- {"kind": "all"} | {"kind": "groups", "groupIds": [...]} | {"kind": "products", "productIds": [...]}
  data_scope jsonb not null default '{"kind":"all"}',
  networks text[] not null default '{}',
  requests_per_minute int not null check (requests_per_minute between 1 and 60000),
  expires_at timestamptz,
  revoked_at timestamptz,
  rotated_at timestamptz,
  -- told its owner that it ends soon
  warned_at timestamptz,
  -- written now and then from memory, never by the request itself
  last_used_at timestamptz,
  last_used_ip text,
  last_refused_at timestamptz,
  last_refused_code text,
  last_refused_ip text,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index api_keys_tenant_idx on api_keys (tenant_id, created_at desc, id desc);
create index api_keys_made_by_idx on api_keys (made_by);
alter table api_keys enable row level security;
create policy tenant_own on api_keys to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on api_keys to :system using (true) with check (true);
-- Who sees a part of the company only sees the keys that stand on him, and makes no others.
create policy in_scope on api_keys as restrictive to :app
  using ((select scope_open()) or made_by = (select current_actor()))
  with check ((select scope_open()) or made_by = (select current_actor()));
grant select, insert, update, delete on api_keys to :app, :system;

-- Calls by key and route in steps of 300 s (kept for two days) and of 3,600 s (kept for 90): counts and a histogram.
create table api_call_stats (
  key_id uuid not null references api_keys (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  width int not null,
  bucket timestamptz not null,
  route text not null,
  calls int not null,
  errors int not null,
  limited int not null,
  -- how many took at most so long; the bounds stand in modules/developer/calls/durations.ts
  durations int[] not null,
  primary key (key_id, width, bucket, route)
);
create index api_call_stats_tenant_idx on api_call_stats (tenant_id, width, bucket);
create index api_call_stats_bucket_idx on api_call_stats (width, bucket);
alter table api_call_stats enable row level security;
create policy tenant_own on api_call_stats for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on api_call_stats to :system using (true) with check (true);
create policy in_scope on api_call_stats as restrictive for select to :app
  using ((select scope_open()) or exists (select 1 from api_keys k where k.id = key_id));
grant select on api_call_stats to :app;
grant select, insert, update, delete on api_call_stats to :system;

-- The last 100 calls of every key, with the beginning of what was sent and answered, secrets masked before they get here.
create table api_calls (
  id uuid primary key,
  key_id uuid not null references api_keys (id) on delete cascade,
  tenant_id uuid not null references tenants (id),
  at timestamptz not null,
  method text not null,
  path text not null,
  route text not null,
  -- the right that the route asks for: who does not hold it does not see the bodies
  permission text not null,
  status int not null,
  code text,
  duration_ms real not null,
  ip text not null,
  user_agent text not null,
  request_id text not null,
  request_body text,
  request_bytes int not null,
  response_body text,
  response_bytes int not null
);
create index api_calls_key_idx on api_calls (key_id, at desc, id desc);
create index api_calls_tenant_idx on api_calls (tenant_id, at desc, id desc);
alter table api_calls enable row level security;
create policy tenant_own on api_calls for select to :app using (tenant_id = (select current_tenant()));
create policy system_all on api_calls to :system using (true) with check (true);
create policy in_scope on api_calls as restrictive for select to :app
  using ((select scope_open()) or exists (select 1 from api_keys k where k.id = key_id));
grant select on api_calls to :app;
grant select, insert, update, delete on api_calls to :system;
