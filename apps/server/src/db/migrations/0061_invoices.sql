-- What is invoiced for a company: paid orders, or money that was paid in; which of the two is its own choice.
create table invoice_settings (
  tenant_id uuid primary key references tenants (id),
  basis text not null default 'order' check (basis in ('order', 'top_up')),
  version int not null default 1
);
alter table invoice_settings enable row level security;
create policy tenant_own on invoice_settings to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on invoice_settings to :system using (true) with check (true);
grant select, insert, update on invoice_settings to :app, :system;
grant delete on invoice_settings to :system;

-- Whom an ordinary invoice names.
create table invoice_titles (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  kind text not null check (kind in ('company', 'person')),
  title text not null,
  tax_no text not null default '',
  email text not null default '',
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  check (kind = 'person' or tax_no <> '')
);
create unique index invoice_titles_key on invoice_titles (tenant_id, lower(title), tax_no);
create unique index invoice_titles_default_key on invoice_titles (tenant_id) where is_default;
alter table invoice_titles enable row level security;
create policy tenant_own on invoice_titles to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on invoice_titles to :system using (true) with check (true);
grant select, insert, update, delete on invoice_titles to :app, :system;

-- Who may have special VAT invoices: an operator looks at each.
create table invoice_qualifications (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  title text not null,
  tax_no text not null,
  address text not null,
  phone text not null,
  bank text not null,
  bank_account text not null,
  file_ids uuid[] not null default '{}',
  state text not null default 'in_review' check (state in ('in_review', 'approved', 'rejected', 'expired')),
  reason text,
  is_default boolean not null default false,
  submitted_by text not null default '',
  submitted_at timestamptz not null default now(),
  decided_by text,
  decided_at timestamptz,
  version int not null default 1
);
create unique index invoice_qualifications_key on invoice_qualifications (tenant_id, tax_no) where state <> 'expired';
create unique index invoice_qualifications_default_key on invoice_qualifications (tenant_id) where is_default;
create index invoice_qualifications_open_idx on invoice_qualifications (submitted_at) where state = 'in_review';
alter table invoice_qualifications enable row level security;
create policy tenant_own on invoice_qualifications to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on invoice_qualifications to :system using (true) with check (true);
grant select, insert, update on invoice_qualifications to :app, :system;
grant delete on invoice_qualifications to :system;

create sequence invoice_numbers;
grant usage on sequence invoice_numbers to :app, :system;

create table invoices (
  id uuid primary key,
  no text not null unique,
  tenant_id uuid not null references tenants (id),
  type text not null check (type in ('ordinary', 'special', 'special_paper')),
  -- The buyer as he was when it was asked for: {kind, title, taxNo, address, phone, bank, bankAccount}
  buyer jsonb not null,
  amount_fen bigint not null check (amount_fen > 0),
  category text not null default '',
  remark text not null default '',
  email text not null default '',
  address jsonb,
  state text not null check (state in ('submitted', 'issuing', 'issued', 'delivered', 'rejected', 'withdrawn', 'failed', 'voided')),
  reason text,
  -- A red-letter invoice takes back a part of this one or all of it.
  red_of uuid references invoices (id),
  red_reason text check (red_reason in ('returned', 'mistaken', 'ended', 'discounted')),
  reversed_fen bigint not null default 0 check (reversed_fen >= 0),
  reversing_fen bigint not null default 0 check (reversing_fen >= 0),
  -- What the tax office calls it.
  number text,
  code text,
  logistics jsonb,
  history jsonb not null default '[]',
  asked_by text not null default '',
  created_at timestamptz not null default now(),
  issued_at timestamptz,
  version int not null default 1,
  check (reversed_fen + reversing_fen <= amount_fen),
  check ((red_of is null) = (red_reason is null))
);
create index invoices_list_idx on invoices (tenant_id, created_at desc, id desc);
create index invoices_all_idx on invoices (created_at desc, id desc);
create index invoices_red_idx on invoices (red_of) where red_of is not null;
create unique index invoices_number_key on invoices (coalesce(code, ''), number) where number is not null and state <> 'voided';
alter table invoices enable row level security;
create policy tenant_own on invoices to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on invoices to :system using (true) with check (true);
grant select, insert, update on invoices to :app, :system;
grant delete on invoices to :system;

-- What of which order is in an invoice; released_fen came back.
create table invoice_lines (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  invoice_id uuid not null references invoices (id) on delete cascade,
  order_id uuid not null references purchase_orders (id),
  amount_fen bigint not null check (amount_fen > 0),
  released_fen bigint not null default 0 check (released_fen between 0 and amount_fen)
);
create unique index invoice_lines_key on invoice_lines (invoice_id, order_id);
create index invoice_lines_order_idx on invoice_lines (order_id);
alter table invoice_lines enable row level security;
create policy tenant_own on invoice_lines to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on invoice_lines to :system using (true) with check (true);
grant select, insert, update on invoice_lines to :app, :system;
grant delete on invoice_lines to :system;

-- A fen is invoiced once: the order carries what its lines hold, and cannot carry more than was paid for it.
alter table purchase_orders
  add column invoiced_fen bigint not null default 0,
  add constraint purchase_orders_invoiced check (invoiced_fen >= 0 and invoiced_fen <= paid_fen - refunded_fen);

create function apply_invoice_line() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  change bigint := new.amount_fen - new.released_fen;
begin
  if tg_op = 'UPDATE' then
    if new.amount_fen <> old.amount_fen or new.order_id <> old.order_id then raise exception 'a line of an invoice only gives back'; end if;
    change := old.released_fen - new.released_fen;
  end if;
  update purchase_orders o set invoiced_fen = o.invoiced_fen + change,
    invoice_state = case when o.invoiced_fen + change >= o.paid_fen - o.refunded_fen then 'issued'
      when o.invoiced_fen + change > 0 then 'partly' when tg_op = 'UPDATE' then 'reversed' else 'open' end
  where o.id = new.order_id and o.tenant_id = new.tenant_id;
  if not found then raise exception 'the order is not of this company'; end if;
  return null;
end $$;
revoke execute on function apply_invoice_line() from public;
create trigger apply_line after insert or update on invoice_lines for each row execute function apply_invoice_line();

create table invoice_files (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  -- null: a document of a qualification
  invoice_id uuid references invoices (id) on delete cascade,
  name text not null,
  content_type text not null,
  size bigint not null,
  object_key text not null,
  created_at timestamptz not null default now()
);
create index invoice_files_idx on invoice_files (invoice_id, created_at);
create index invoice_files_tenant_idx on invoice_files (tenant_id);
alter table invoice_files enable row level security;
create policy tenant_own on invoice_files to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on invoice_files to :system using (true) with check (true);
grant select, insert on invoice_files to :app, :system;
grant delete on invoice_files to :system;
