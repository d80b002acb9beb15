-- How the sub-devices of a gateway product's devices behave: whose word decides whether they are there, and whether the
-- gateway may bring unknown ones.
alter table products add column sub_devices jsonb not null default '{}';

-- A gateway speaks of each of its sub-devices by a number or an address of its own.
create unique index devices_sub_number_key on devices (gateway, device_no) where gateway is not null;
create unique index devices_sub_address_key on devices (gateway, sub_address)
  where gateway is not null and sub_address is not null;
