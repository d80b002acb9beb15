-- Devices that go to another company of the installation (docs/adr/0062-devices-between-companies.md).

-- A device of another company since then: its row stays here, in the recycle bin, and does not come back.
alter table devices add column left_at timestamptz;

create function keep_left_device() returns trigger language plpgsql as $$
begin
  raise exception 'device.left' using errcode = 'TW001', detail = '{}';
end $$;
create trigger keep_left_device before update of recycled_at on devices for each row
  when (old.left_at is not null and new.recycled_at is null) execute function keep_left_device();

create table company_transfers (
  id uuid primary key,
  -- the company that gives
  tenant_id uuid not null references tenants (id),
  from_name text not null,
  -- the company that takes; null: nobody yet. It may be gone before the one that gave
  to_tenant uuid,
  to_name text not null default '',
  -- SHA-256 of what the giver tells the taker
  code_hash bytea not null unique,
  state text not null default 'offered' check (state in ('offered', 'running', 'done', 'withdrawn', 'expired')),
  with_history boolean not null,
  with_triggers boolean not null,
  note text not null default '',
  total int not null,
  -- [{id, name, linkType, nodeType, devices, file, to}]: products of the devices as they were when they were offered,
  -- and the product that their devices get
  products jsonb not null,
  group_id uuid,
  -- triggers that go along, read before the first device leaves
  triggers jsonb,
  -- [{kind, id, name}]: what stopped in the company that gave
  paused jsonb not null default '[]',
  by_id uuid,
  by_name text not null,
  accepted_by uuid,
  accepted_name text not null default '',
  task_id uuid,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index company_transfers_list_idx on company_transfers (tenant_id, created_at desc, id desc);
create index company_transfers_taken_idx on company_transfers (to_tenant, created_at desc, id desc) where to_tenant is not null;
create index company_transfers_open_idx on company_transfers (expires_at) where state = 'offered';
alter table company_transfers enable row level security;
create policy tenant_own on company_transfers to :app
  using (tenant_id = (select current_tenant()) or to_tenant = (select current_tenant()))
  with check (tenant_id = (select current_tenant()) or to_tenant = (select current_tenant()));
create policy in_scope on company_transfers as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on company_transfers to :system using (true) with check (true);
grant select, insert, update on company_transfers to :app;
grant select, insert, update, delete on company_transfers to :system;

-- One line for each device: what was agreed on, and the record of it for both.
create table company_transfer_items (
  transfer_id uuid not null references company_transfers (id) on delete cascade,
  place int not null,
  tenant_id uuid not null references tenants (id),
  to_tenant uuid,
  -- of the company that gave; the device may be gone there by now
  device_id uuid not null,
  device_num int not null,
  device_no text not null,
  name text not null,
  -- the end user whose it was when it left
  owner_id uuid,
  owner_name text not null default '',
  product_id uuid not null,
  -- the device that speaks for it, where that goes too
  gateway_id uuid,
  sub_address text,
  state text not null default 'waiting' check (state in ('waiting', 'moved', 'failed', 'withdrawn')),
  reason text,
  new_id uuid,
  new_num int,
  -- what follows the move is done as well: history, what stops, who is told
  settled boolean not null default false,
  moved_at timestamptz,
  primary key (transfer_id, place)
);
-- A device is offered once at a time.
create unique index company_transfer_items_offered_key on company_transfer_items (device_id) where state = 'waiting';
create index company_transfer_items_new_idx on company_transfer_items (transfer_id, device_id);
create index company_transfer_items_state_idx on company_transfer_items (transfer_id, state, place);
create index company_transfer_items_moved_idx on company_transfer_items (moved_at) where state = 'moved';
alter table company_transfer_items enable row level security;
create policy tenant_own on company_transfer_items to :app
  using (tenant_id = (select current_tenant()) or to_tenant = (select current_tenant()))
  with check (tenant_id = (select current_tenant()) or to_tenant = (select current_tenant()));
create policy in_scope on company_transfer_items as restrictive to :app using ((select scope_open())) with check ((select scope_open()));
create policy system_all on company_transfer_items to :system using (true) with check (true);
grant select, insert, update on company_transfer_items to :app;
grant select, insert, update, delete on company_transfer_items to :system;

-- The functions below run as the owner, because each looks into two companies. They do so for an offer alone: one that is
-- open, for whoever has its code; one that was accepted, for the company that accepted it.

-- What an offer holds, for whoever has its code. Not for the company that made it.
create function offered_transfer(code bytea) returns setof company_transfers
language sql stable security definer set search_path = public, pg_temp as $$
  select * from company_transfers t where t.code_hash = code and t.state = 'offered' and t.expires_at > clock_timestamp()
    and current_tenant() is not null and t.tenant_id <> current_tenant()
$$;

-- The company of the transaction takes the offer: of two that do so at once, one gets it. @return its id
create function take_transfer(code bytea, taker text, maker text, targets jsonb, to_group uuid) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  taken uuid;
begin
  update company_transfers t set to_tenant = current_tenant(), to_name = taker, state = 'running', accepted_by = current_actor(),
    accepted_name = maker, accepted_at = clock_timestamp(), products = targets, group_id = to_group
  where t.code_hash = code and t.state = 'offered' and t.expires_at > clock_timestamp()
    and current_tenant() is not null and t.tenant_id <> current_tenant()
  returning t.id into taken;
  update company_transfer_items i set to_tenant = current_tenant() where i.transfer_id = taken;
  return taken;
end $$;

-- What is copied of devices that wait to be moved, in order.
create function transfer_devices(of_transfer uuid, many int)
returns table (place int, id uuid, device_no text, name text, tags text[], product_id uuid,
  secret bytea, previous_secret bytea, token bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select i.place, d.id, d.device_no, d.name, d.tags, d.product_id, d.secret_cipher, d.previous_secret_cipher, d.access_token_cipher
  from company_transfers t join company_transfer_items i on i.transfer_id = t.id and i.state = 'waiting'
  join devices d on d.id = i.device_id and d.tenant_id = t.tenant_id
  where t.id = of_transfer and t.to_tenant = current_tenant() and t.state = 'running'
  order by i.place limit many
$$;

/* Moves devices in one transaction: the row of the company that gave goes to its recycle bin, the company of the
   transaction gets a row of its own with a number of its own, so whatever was kept under the old number stays unseen.
   moves: [{place, newId, product, secret, previous, token, text, grams}] with what is sealed for the new id. */
create function give_devices(of_transfer uuid, moves jsonb)
returns table (place int, old_num int, new_num int, outcome text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  offer company_transfers;
  move record;
  item company_transfer_items;
  dev devices;
  product products;
  speaker int;
begin
  select * into offer from company_transfers t where t.id = of_transfer and t.to_tenant = current_tenant() and t.state = 'running';
  if not found then raise exception 'no such transfer' using errcode = '42501'; end if;
  for move in
    select v.* from jsonb_to_recordset(moves) as v (place int, "newId" uuid, product uuid, secret text, previous text, token text,
      text text, grams int4[]) order by v.place
  loop
    select * into item from company_transfer_items i where i.transfer_id = of_transfer and i.place = move.place for update;
    continue when item.state <> 'waiting';
    place := move.place; old_num := item.device_num; new_num := null; outcome := 'moved';
    select * into dev from devices d where d.id = item.device_id and d.tenant_id = offer.tenant_id for update;
    select * into product from products p where p.id = move.product and p.tenant_id = offer.to_tenant and p.deleted_at is null for share;
    if dev.id is null then outcome := 'device.not_found';
    elsif dev.recycled_at is not null then outcome := 'device.recycled';
    elsif product.id is null then outcome := 'product.not_found';
    elsif exists (select 1 from devices d where d.product_id = product.id and d.device_no = dev.device_no) then
      outcome := 'device.number_taken';
    end if;
    if outcome <> 'moved' then
      update company_transfer_items i set state = 'failed', reason = outcome where i.transfer_id = of_transfer and i.place = move.place;
      return next;
      continue;
    end if;
    -- Whose gateway goes has none any more until he goes too.
    update devices d set gateway = null, sub_address = null, version = d.version + 1 where d.gateway = dev.num;
    update devices d set lifecycle_before = d.lifecycle, lifecycle = 'recycled', recycled_at = now(), left_at = now(), owner_id = null,
      history_from = null, gateway = null, sub_address = null, access_token_hash = null, access_token_cipher = null,
      previous_token_hash = null, previous_token_until = null, version = d.version + 1, updated_at = now()
    where d.id = dev.id;
    select n.num into speaker from company_transfer_items g join devices n on n.id = g.new_id
      where g.transfer_id = of_transfer and g.device_id = item.gateway_id and g.state = 'moved';
    insert into devices (id, tenant_id, product_id, product_num, device_no, name, lifecycle, secret_hash, secret_cipher,
      previous_secret_hash, previous_secret_cipher, previous_secret_until, access_token_hash, access_token_cipher,
      group_id, tags, description, attributes, location, offline_delay_seconds, overrides, access, gateway, sub_address,
      search_text, search_grams)
    values (move."newId", offer.to_tenant, product.id, product.num, dev.device_no, dev.name,
      case when dev.lifecycle = 'disabled' then 'disabled' else 'inactive' end,
      dev.secret_hash, decode(move.secret, 'base64'),
      case when move.previous is null then null else dev.previous_secret_hash end, decode(move.previous, 'base64'),
      case when move.previous is null then null else dev.previous_secret_until end,
      case when move.token is null then null else dev.access_token_hash end, decode(move.token, 'base64'),
      offer.group_id, dev.tags, dev.description, dev.attributes, dev.location, dev.offline_delay_seconds, dev.overrides, dev.access,
      speaker, case when speaker is null then null else item.sub_address end, move.text, move.grams)
    returning num into new_num;
    update company_transfer_items i set state = 'moved', new_id = move."newId", new_num = give_devices.new_num, moved_at = clock_timestamp(),
      owner_id = dev.owner_id, owner_name = coalesce((select coalesce(nullif(l.display_name, ''), l.username) from logins l where l.id = dev.owner_id), '')
    where i.transfer_id = of_transfer and i.place = move.place;
    return next;
  end loop;
end $$;

-- Where the values of devices that moved are found: properties that both products have under one identifier.
create function transfer_renumbering(of_transfer uuid, old_nums int[])
returns table (old_num int, new_num int, old_property int, new_property int, identifier text)
language sql stable security definer set search_path = public, pg_temp as $$
  select i.device_num, i.new_num, a.num, b.num, a.identifier
  from company_transfers t join company_transfer_items i on i.transfer_id = t.id and i.state = 'moved'
  join devices o on o.num = i.device_num join devices n on n.id = i.new_id
  join product_properties a on a.product_num = o.product_num
  join product_properties b on b.product_num = n.product_num and b.identifier = a.identifier
  where t.id = of_transfer and t.to_tenant = current_tenant() and t.with_history and i.device_num = any (old_nums)
$$;

revoke execute on function offered_transfer(bytea), take_transfer(bytea, text, text, jsonb, uuid), transfer_devices(uuid, int),
  give_devices(uuid, jsonb), transfer_renumbering(uuid, int[]) from public;
grant execute on function offered_transfer(bytea), take_transfer(bytea, text, text, jsonb, uuid), transfer_devices(uuid, int),
  give_devices(uuid, jsonb), transfer_renumbering(uuid, int[]) to :app;
