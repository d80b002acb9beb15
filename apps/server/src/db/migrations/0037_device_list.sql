-- What lists of devices show and ask of their products, whatever the reader's data scope.
create or replace view product_names as
  select id, num, product_key, name, icon, status, link_type, offline_delay_seconds, node_type, category from products
  where deleted_at is null and tenant_id = (select current_tenant());
