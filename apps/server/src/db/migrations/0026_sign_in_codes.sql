-- Codes and links sent to people: who asked for them, and how often.

-- Who asked: a stranger (key: his network), a browser in which the person signed in before, somebody whose password was
-- right (ticket), somebody signed in (key: the login). Each is counted apart, so that nobody uses up another's.
alter table sms_codes add column lane text not null default 'stranger' check (lane in ('stranger', 'browser', 'ticket', 'signed_in'));
alter table sms_codes add column asker text not null default '';
-- wrong tries by others than the one who asked for the code
alter table sms_codes add column foreign_attempts int not null default 0;
alter table mail_codes add column lane text not null default 'stranger' check (lane in ('stranger', 'browser', 'ticket', 'signed_in'));
alter table mail_codes add column asker text not null default '';
alter table mail_codes add column foreign_attempts int not null default 0;

-- One row per code or link that was asked for in the last day.
create table code_requests (
  id bigint generated always as identity primary key,
  channel text not null check (channel in ('sms', 'mail', 'link')),
  purpose text not null,
  lane text not null check (lane in ('stranger', 'browser', 'ticket', 'signed_in')),
  asker text not null,
  -- keyed hash of the phone or mail address
  target bytea not null,
  -- a number nobody uses gets the same answer and no message
  sent boolean not null,
  at timestamptz not null
);
create index code_requests_target_idx on code_requests (target, at);
create index code_requests_asker_idx on code_requests (asker, purpose, at);
create index code_requests_day_idx on code_requests (purpose, at) where lane = 'stranger' and sent;
create index code_requests_at_idx on code_requests (at);
alter table code_requests enable row level security;
create policy system_all on code_requests to :system using (true) with check (true);
grant select, insert, delete on code_requests to :system;
