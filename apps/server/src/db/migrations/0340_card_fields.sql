-- What is kept of a card beside its state: how long its plan runs, until when its traffic can be used, text messages, what
-- its user is shown of the traffic, and whether the carrier's interface can be asked about it.
alter table sim_cards
  add column term text check (term in ('year', 'quarter', 'month', 'other')),
  -- the traffic of the plan ends then; the card itself goes on until expires_at
  add column data_until timestamptz,
  add column sms_on boolean,
  -- text messages sent in sms_month, 202601
  add column month_sms int,
  add column sms_month int,
  -- the plan that its user is shown instead of the carrier's
  add column shown_plan_kb double precision check (shown_plan_kb >= 0),
  -- of what the carrier counted so many percent are shown to its user
  add column shown_percent int check (shown_percent between 1 and 1000),
  -- false: the carrier's interface answers nothing about it, so that it is neither synced nor changed from here
  add column searchable boolean not null default true;
