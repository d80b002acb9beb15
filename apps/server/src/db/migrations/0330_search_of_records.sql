-- Records of messages are searched by name and address: made lower once, not for every row of every search.
alter table notification_records
  add column search_text text generated always as (lower(contact_name || ' ' || address)) stored;
