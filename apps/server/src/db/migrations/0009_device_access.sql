-- How a product's devices connect (framing, register packet, polling …), whose firmware they may run, and what a single
-- device does otherwise.
alter table products
  add column link jsonb not null default '{}',
  add column dialects jsonb not null default '{}';

alter table devices
  add column overrides jsonb not null default '{}',
  -- the device that speaks for this one, and its address there (Modbus slave, number in the gateway's messages)
  add column gateway int references devices (num) on delete set null,
  add column sub_address text;
create index devices_gateway_idx on devices (gateway) where gateway is not null;

-- A port that belongs to one product: the number of its device alone may then say who connects.
alter table products add column own_port int check (own_port between 1 and 65535);
create unique index products_own_port_idx on products (own_port) where own_port is not null and deleted_at is null;

-- Ports are the installation's, products a company's: this looks past the policy, and tells nothing but a number. The
-- lock keeps two products from being given the same one.
create function free_own_port(lowest int, highest int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('own_port'));
  return (
    select min(port) from generate_series(lowest, least(highest, lowest + 10000)) as port
    where not exists (select 1 from products p where p.own_port = port and p.deleted_at is null)
  );
end $$;
revoke execute on function free_own_port(int, int) from public;
grant execute on function free_own_port(int, int) to :app;
