-- The menu calls the page as it calls itself.
update menu_items set ename = 'Media files', updated_at = now() where path = '/admin/material' and ename = 'Materials';
