-- Materials of end users: pictures and files for the pages that they draw, in folders and within a quota of their own.

-- null: of the company itself
alter table media_folders add column owner_id uuid default scope_user() references end_users (id);
alter table media add column owner_id uuid default scope_user() references end_users (id);
create index media_folders_owner_idx on media_folders (owner_id) where owner_id is not null;
create index media_owner_idx on media (owner_id) where owner_id is not null;
-- A name is one folder of the company, and one of each end user.
drop index media_folders_name_key;
create unique index media_folders_name_key on media_folders (tenant_id, owner_id, parent_id, name) nulls not distinct;

-- An end user sees what is his own and of those below him; who belongs to the company sees the company's, and that of the
-- end users in his scope.
create policy in_scope on media_folders as restrictive to :app
  using ((select scope_open())
    or owner_id = any ((select scope_user_ids())::uuid[])
    or ((select scope_user()) is null and (owner_id is null or exists (select 1 from end_users e where e.id = owner_id))))
  with check ((select scope_open())
    or owner_id = any ((select scope_user_ids())::uuid[])
    or ((select scope_user()) is null and (owner_id is null or exists (select 1 from end_users e where e.id = owner_id))));
create policy in_scope on media as restrictive to :app
  using ((select scope_open())
    or owner_id = any ((select scope_user_ids())::uuid[])
    or ((select scope_user()) is null and (owner_id is null or exists (select 1 from end_users e where e.id = owner_id))))
  with check ((select scope_open())
    or owner_id = any ((select scope_user_ids())::uuid[])
    or ((select scope_user()) is null and (owner_id is null or exists (select 1 from end_users e where e.id = owner_id))));
create policy in_scope on media_uses as restrictive to :app
  using ((select scope_open()) or exists (select 1 from media m where m.id = media_id))
  with check ((select scope_open()) or exists (select 1 from media m where m.id = media_id));

-- Bytes of his materials; null at an end user: that of his package; null at both: what END_USER_MEDIA_BYTES says.
alter table user_packages add column media_quota bigint check (media_quota >= 0);
alter table end_users add column media_quota bigint check (media_quota >= 0);
