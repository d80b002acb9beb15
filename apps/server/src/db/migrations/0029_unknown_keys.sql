-- (see 0021_arrivals)
-- What a product does with keys that its model does not know, and with texts where numbers belong.
alter table products
  add column unknown_keys text not null default 'collect' check (unknown_keys in ('refuse', 'ignore', 'collect')),
  -- null: taken where its devices may run firmware of other platforms
  add column lenient_types boolean;

-- Keys that devices sent and the model does not know, with the last values as JSON texts; at most 200 of a product.
create table product_unknown_keys (
  tenant_id uuid not null references tenants (id),
  product_id uuid not null references products (id) on delete cascade,
  key text not null,
  samples text[] not null,
  seen bigint not null,
  device_no text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (product_id, key)
);
create index product_unknown_keys_tenant_idx on product_unknown_keys (tenant_id);
alter table product_unknown_keys enable row level security;
create policy tenant_own on product_unknown_keys to :app using (tenant_id = (select current_tenant()));
create policy in_scope on product_unknown_keys as restrictive to :app
  using ((select scope_open()) or exists (select 1 from products p where p.id = product_id));
create policy system_all on product_unknown_keys to :system using (true) with check (true);
create policy telemetry_all on product_unknown_keys to :telemetry using (true) with check (true);
grant select, delete on product_unknown_keys to :app;
grant select, delete on product_unknown_keys to :system;
grant select, insert, update on product_unknown_keys to :telemetry;
