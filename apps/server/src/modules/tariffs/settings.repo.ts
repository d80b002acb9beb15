import type { MeterSettings } from '@thingwright/contracts/prepaid.contract'
import { type Runner, sql } from '../../lib/sql/statement.ts'

/** What a company has that chose nothing: the defaults of the table. */
const DEFAULTS: MeterSettings = {
  online: 'none',
  drawMinutes: 60,
  lowFen: 2_000,
  waitMinutes: 1_440,
  freshMinutes: 60,
  protected: [],
  dueDays: 15,
  version: 0,
}

const FIND = sql<MeterSettings>`select online, draw_minutes as "drawMinutes", low_fen as "lowFen", wait_minutes as "waitMinutes",
  fresh_minutes as "freshMinutes", protected, due_days as "dueDays", version from meter_settings where tenant_id = $1`
export const find = async (scope: Runner, tenantId: string): Promise<MeterSettings> =>
  (await scope.run(FIND, [tenantId])).rows[0] ?? DEFAULTS

const SET = sql`insert into meter_settings (tenant_id, online, draw_minutes, low_fen, wait_minutes, fresh_minutes, protected, due_days)
  select $1, $2, $3, $4, $5, $6, $7::jsonb, $8
  on conflict (tenant_id) do update set online = excluded.online, draw_minutes = excluded.draw_minutes, low_fen = excluded.low_fen,
    wait_minutes = excluded.wait_minutes, fresh_minutes = excluded.fresh_minutes, protected = excluded.protected,
    due_days = excluded.due_days, version = meter_settings.version + 1
  where meter_settings.version = $9`
/** @returns false: it was changed meanwhile */
export const set = async (scope: Runner, tenantId: string, s: MeterSettings): Promise<boolean> =>
  (
    await scope.run(SET, [
      tenantId,
      s.online,
      s.drawMinutes,
      s.lowFen,
      s.waitMinutes,
      s.freshMinutes,
      JSON.stringify(s.protected),
      s.dueDays,
      s.version,
    ])
  ).rowCount === 1
