-- A command of the owner before that still waits acts on the device of the new one: he sees it, and may replace or cancel it.
alter policy in_scope on commands
  using ((select scope_open()) or exists (select 1 from devices d where d.id = device_id
    and ((select scope_user()) is null or d.history_from is null or created_at >= d.history_from
      or state in ('queued', 'sent', 'delivered'))));
