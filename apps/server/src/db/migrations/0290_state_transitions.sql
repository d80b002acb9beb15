-- What can become of what: the transition tables of the code (payment-states.ts, invoice-states.ts, cutoff-states.ts) as
-- the database holds to them. A test compares both.
create function check_transition() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if not (old.state || '>' || new.state) = any (tg_argv) then
    raise exception 'a row of % does not go from % to %', tg_table_name, old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
revoke execute on function check_transition() from public;

create trigger check_transition before update of state on payments for each row when (old.state is distinct from new.state)
  execute function check_transition('created>pending', 'created>failed', 'pending>failed', 'created>closed', 'pending>closed',
    'in_review>pending', 'in_review>refused', 'created>succeeded', 'pending>succeeded', 'in_review>succeeded',
    'failed>succeeded', 'closed>succeeded');
create trigger check_transition before update of state on refunds for each row when (old.state is distinct from new.state)
  execute function check_transition('requested>processing', 'requested>refused', 'processing>done', 'processing>failed');
create trigger check_transition before update of state on invoices for each row when (old.state is distinct from new.state)
  execute function check_transition('submitted>withdrawn', 'submitted>issuing', 'failed>issuing', 'submitted>rejected',
    'issuing>rejected', 'failed>rejected', 'issuing>issued', 'issuing>failed', 'issued>delivered', 'issued>voided',
    'delivered>voided');
create trigger check_transition before update of state on meter_cutoffs for each row when (old.state is distinct from new.state)
  execute function check_transition('noticed>cancelled', 'noticed>cutting', 'cut_failed>cutting', 'cutting>cut',
    'cutting>cut_failed', 'cutting>restoring', 'cut>restoring', 'cut_failed>restoring', 'restore_failed>restoring',
    'restoring>restored', 'restoring>restore_failed');
