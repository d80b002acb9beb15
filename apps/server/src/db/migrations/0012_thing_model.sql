-- Published versions of thing models: numbered, their models never changed. Rolling back publishes an old one under a new number.
create table product_model_versions (
  product_id uuid not null references products (id) on delete cascade,
  number int not null check (number > 0),
  tenant_id uuid not null references tenants (id),
  model jsonb not null,
  note text not null default '',
  published_at timestamptz not null default now(),
  -- as the person was called then
  published_by text,
  restored_from int,
  primary key (product_id, number)
);
alter table product_model_versions enable row level security;
create policy tenant_own on product_model_versions to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy in_scope on product_model_versions as restrictive to :app
  using ((select scope_open()) or exists (select 1 from products p where p.id = product_id))
  with check ((select scope_open()) or exists (select 1 from products p where p.id = product_id));
create policy system_all on product_model_versions to :system using (true) with check (true);
grant select, insert, delete, update (note, published_by) on product_model_versions to :app;
grant select, insert, update, delete on product_model_versions to :system;

insert into product_model_versions (product_id, number, tenant_id, model, published_at)
select id, greatest(model_version, 1), tenant_id, published_model, updated_at from products where published_model is not null;

-- Whatever publishes a model (people, imports, a company's file) leaves its version behind; a note was written before.
create function keep_model_version() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.published_model is not null and new.model_version > 0 then
    insert into product_model_versions (product_id, number, tenant_id, model)
    values (new.id, new.model_version, new.tenant_id, new.published_model) on conflict do nothing;
  end if;
  return null;
end $$;
revoke execute on function keep_model_version() from public;
create trigger products_model_version after insert or update of published_model, model_version on products
  for each row execute function keep_model_version();

-- Devices with properties of their own or changed ones: few among many.
create index devices_own_model_idx on devices (product_id) where overrides ? 'model';

-- Parameters of a command that hold a password: sent as they are, shown masked.
alter table commands add column secret_params text[] not null default '{}';
create function masked_params(params jsonb, secrets text[]) returns jsonb language sql immutable parallel safe
  as $$ select case when cardinality(secrets) = 0 then params
    else coalesce((select jsonb_object_agg(key, case when key = any (secrets) then '"••••••"'::jsonb else value end) from jsonb_each(params)), '{}') end $$;
