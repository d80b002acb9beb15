-- How an end user's console looks, and whom the company speaks to there.
alter table end_users
  -- {title, titleEn, logo, colour} as of the company; null: that of the line above
  add column branding jsonb,
  add column contact_name text not null default '';
