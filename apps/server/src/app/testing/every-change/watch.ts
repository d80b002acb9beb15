import type pg from 'pg'

/** A transaction of the application that changed something, and the tables and ways in which it did. */
export interface Change {
  xid: string
  tables: string[]
  logged: boolean
}

/** Notes every change of every table with its transaction; new tables are watched without anybody listing them. */
export interface Watch {
  /** What was committed since it was last asked. */
  changes(): Promise<Change[]>
}

/** Watches a test's database. What the test itself does as the tables' owner is not noted. */
export async function watchChanges(owner: pg.Pool): Promise<Watch> {
  await owner.query(`
    create schema watch;
    create table watch.changes (xid xid8, tab text, op text, primary key (xid, tab, op));
    create function watch.note() returns trigger language plpgsql security definer as $$
    declare
      op text := lower(tg_op);
      counters text[] := '{token_epoch, version, updated_at}';
    begin
      if session_user <> current_user and (tg_op <> 'UPDATE' or old is distinct from new) then
        if tg_op = 'UPDATE' and tg_argv[0] = 'logins' and to_jsonb(old) - counters = to_jsonb(new) - counters then
          op := 'sessions end';
        end if;
        insert into watch.changes values (pg_current_xact_id(), tg_argv[0], op) on conflict do nothing;
      end if;
      return null;
    end $$;
    do $$
    declare
      name text;
    begin
      for name in select relname from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      loop
        execute format('create trigger zz_watch after insert or update or delete on public.%I for each row execute function watch.note(%L)', name, name);
      end loop;
    end $$`)
  return {
    async changes() {
      const { rows } = await owner.query<{ xid: string; tables: string[] }>(
        `with gone as (delete from watch.changes returning xid, tab, op)
         select xid::text, array_agg(tab || ' ' || op order by tab, op) as tables from gone group by xid order by xid`,
      )
      return rows.map(({ xid, tables }) => ({ xid, tables, logged: tables.includes('audit_logs insert') }))
    },
  }
}
