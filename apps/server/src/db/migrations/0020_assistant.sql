-- The assistant: conversations, approvals, what answers a company, and what it cost (docs/adr/0055-assistant.md).

create table assistant_settings (
  tenant_id uuid primary key references tenants (id),
  -- null: the installation's model when it names one, else the built-in engine
  engine text check (engine in ('off', 'builtin', 'installation', 'own')),
  base_url text not null default '',
  model text not null default '',
  -- sealed
  api_key_cipher bytea,
  temperature real not null default 0.2,
  max_tokens int not null default 2048,
  -- null: no limit
  monthly_tokens bigint,
  price_in numeric not null default 0,
  price_out numeric not null default 0,
  -- whether a model is told measured values and messages
  send_values boolean not null default true,
  version int not null default 1,
  updated_at timestamptz not null default now()
);
alter table assistant_settings enable row level security;
create policy tenant_own on assistant_settings to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on assistant_settings to :system using (true) with check (true);
grant select, insert, update, delete on assistant_settings to :app, :system;

-- Ids of conversations are made by browsers, so they are only unique within their person.
create table assistant_chats (
  login_id uuid not null,
  id uuid not null,
  tenant_id uuid not null references tenants (id),
  -- tools that were allowed for this conversation
  allowed_tools text[] not null default '{}',
  -- what was spoken of last: [{kind, id, name}]
  mentions jsonb not null default '[]',
  -- a question of ours that waits for its answer: {tool, input, field}
  waiting jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, login_id, id)
);
create index assistant_chats_age on assistant_chats (updated_at);
alter table assistant_chats enable row level security;
create policy tenant_own on assistant_chats to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy own_chat on assistant_chats as restrictive to :app using (login_id = (select current_actor())) with check (login_id = (select current_actor()));
create policy system_all on assistant_chats to :system using (true) with check (true);
grant select, insert, update, delete on assistant_chats to :app, :system;

create table assistant_messages (
  -- UUIDv7: their order is the order of the conversation
  id uuid primary key,
  tenant_id uuid not null,
  login_id uuid not null,
  chat_id uuid not null,
  -- the provider's message: {role, content, toolCalls?, toolCallId?}
  message jsonb not null,
  created_at timestamptz not null default now(),
  foreign key (tenant_id, login_id, chat_id) references assistant_chats (tenant_id, login_id, id) on delete cascade
);
create index assistant_messages_chat on assistant_messages (tenant_id, login_id, chat_id, id);
alter table assistant_messages enable row level security;
create policy tenant_own on assistant_messages to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy own_chat on assistant_messages as restrictive to :app using (login_id = (select current_actor())) with check (login_id = (select current_actor()));
create policy system_all on assistant_messages to :system using (true) with check (true);
grant select, insert, delete on assistant_messages to :app;
grant select, insert, update, delete on assistant_messages to :system;

-- One row per question, kept for cost and quota when the conversation is gone; it holds no words of anybody.
create table assistant_replies (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null,
  user_name text not null,
  engine text not null,
  model text,
  tools text[] not null default '{}',
  state text not null default 'running' check (state in ('running', 'done', 'stopped', 'failed')),
  prompt_tokens int not null default 0,
  completion_tokens int not null default 0,
  cost_fen numeric not null default 0,
  duration_ms int,
  rating text check (rating in ('up', 'down')),
  created_at timestamptz not null default now()
);
create index assistant_replies_time on assistant_replies (tenant_id, created_at desc, id desc);
alter table assistant_replies enable row level security;
create policy tenant_own on assistant_replies to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on assistant_replies to :system using (true) with check (true);
grant select, insert, update on assistant_replies to :app;
grant select, insert, update, delete on assistant_replies to :system;

create table assistant_approvals (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  login_id uuid not null,
  chat_id uuid,
  reply_id uuid,
  locale text not null check (locale in ('zh', 'en')),
  -- [{tool, class, title, input, calls, effects, changes, object, memo, state, outcome, results, undo}]
  steps jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed', 'denied', 'expired', 'undone')),
  decision text check (decision in ('once', 'chat', 'deny')),
  decided_at timestamptz,
  undone_at timestamptz,
  created_at timestamptz not null default now()
);
create index assistant_approvals_chat on assistant_approvals (tenant_id, login_id, chat_id);
create index assistant_approvals_age on assistant_approvals (created_at);
alter table assistant_approvals enable row level security;
create policy tenant_own on assistant_approvals to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy own_approval on assistant_approvals as restrictive to :app using (login_id = (select current_actor())) with check (login_id = (select current_actor()));
create policy system_all on assistant_approvals to :system using (true) with check (true);
grant select, insert, update on assistant_approvals to :app;
grant select, insert, update, delete on assistant_approvals to :system;
