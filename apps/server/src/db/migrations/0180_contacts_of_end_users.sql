-- Contacts of end users: they receive alarms of that end user's devices, in the ways that the company offers to end users.

alter table contacts
  -- null: of the company itself
  add column owner_id uuid default scope_user() references end_users (id) on delete cascade,
  -- words of PERSONAL_CHANNELS in which this contact wants messages; null: all
  add column ways text[];
create index contacts_owner_idx on contacts (owner_id) where owner_id is not null;
-- An address is one contact of the company, and one of each end user.
drop index contacts_email_key;
create unique index contacts_email_key on contacts (tenant_id, owner_id, lower(email)) nulls not distinct where email is not null;
drop index contacts_phone_key;
create unique index contacts_phone_key on contacts (tenant_id, owner_id, phone) nulls not distinct where phone is not null;

-- An end user sees contacts of his own and of those below him; who belongs to the company sees the company's, and those of
-- the end users in his scope.
create policy in_scope on contacts as restrictive to :app
  using ((select scope_open())
    or owner_id = any ((select scope_user_ids())::uuid[])
    or ((select scope_user()) is null and (owner_id is null or exists (select 1 from end_users e where e.id = owner_id))))
  with check ((select scope_open())
    or owner_id = any ((select scope_user_ids())::uuid[])
    or ((select scope_user()) is null and (owner_id is null or exists (select 1 from end_users e where e.id = owner_id))));

create policy in_scope on notification_records as restrictive to :app
  using ((select scope_user()) is null or exists (select 1 from contacts c where c.id = contact_id))
  with check ((select scope_user()) is null or exists (select 1 from contacts c where c.id = contact_id));

-- What the company offers to end users: text messages and calls cost it money.
alter table notification_policies add column customer_ways text[] not null default '{email,wechat}';
