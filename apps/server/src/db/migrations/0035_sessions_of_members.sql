-- Ends every session of a member, within the change that asks for it. Freezing and letting go run in a company's scope,
-- which may not write sessions; the raised epoch refuses the access tokens that are still out.
create function end_member_sessions(login uuid, reason text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update logins set token_epoch = token_epoch + 1, version = version + 1, updated_at = now()
  where id = login and tenant_id = current_tenant();
  if not found then raise exception 'not a member of this company' using errcode = '42501'; end if;
  update refresh_families set revoked_at = now(), revoked_reason = reason where login_id = login and revoked_at is null;
end $$;
revoke execute on function end_member_sessions(uuid, text) from public;
grant execute on function end_member_sessions(uuid, text) to :app;
