-- A task of which a part failed is not one that succeeded: a program that asks only for the state took it for done.
alter table tasks drop constraint tasks_state_check;
alter table tasks add constraint tasks_state_check
  check (state in ('queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled'));
alter table tasks drop constraint tasks_check;
alter table tasks add constraint tasks_check
  check ((state in ('succeeded', 'partial', 'failed', 'cancelled')) = (ended_at is not null));
update tasks set state = 'partial' where state = 'succeeded' and failed_count > 0;
