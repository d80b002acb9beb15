-- ───────────── groups ─────────────
-- A caller with a limited scope sees the groups of his scope and nothing of the others, not even that they are there.
-- By the parent too: a group that is made in this statement is not among the ids of the scope yet.
create policy in_scope_read on groups as restrictive for select to :app
  using ((select scope_open())
    or id = any ((select scope_group_ids())::uuid[])
    or parent_id = any ((select scope_group_ids())::uuid[]));

-- ───────────── what hangs on a product ─────────────
-- It is seen with its product; it is changed by whoever may change the product, and not by who sees it for one device.
create function scope_has_product(product uuid) returns boolean language sql stable parallel safe as $$
  select exists (select 1 from products p where p.id = product
    and (p.created_by = (select scope_owner()) or p.id = any ((select scope_product_ids())::uuid[])))
$$;
create policy in_scope_insert on command_templates as restrictive for insert to :app
  with check ((select scope_open()) or scope_has_product(product_id));
create policy in_scope_update on command_templates as restrictive for update to :app
  using ((select scope_open()) or scope_has_product(product_id));
create policy in_scope_delete on command_templates as restrictive for delete to :app
  using ((select scope_open()) or scope_has_product(product_id));
create policy in_scope_insert on command_schedules as restrictive for insert to :app
  with check ((select scope_open()) or scope_has_product(product_id));
create policy in_scope_update on command_schedules as restrictive for update to :app
  using ((select scope_open()) or scope_has_product(product_id));
create policy in_scope_delete on command_schedules as restrictive for delete to :app
  using ((select scope_open()) or scope_has_product(product_id));

-- ───────────── the installation's menu ─────────────
-- Changing it is a right of the platform's operators: where a company's own role names it, it never meant anything but
-- with the dev flag, and does no more.
update roles set permissions = array_remove(permissions, 'menu:write'), updated_at = now()
where not builtin and 'menu:write' = any (permissions)
  and not exists (
    select 1 from login_roles lr join logins l on l.id = lr.login_id where lr.role_id = roles.id and l.kind = 'operator');
