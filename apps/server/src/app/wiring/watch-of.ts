import type { Permission } from '@thingwright/contracts/permissions'
import type { Ctx } from '../../lib/context.ts'
import type { AlarmsModule } from '../../modules/alarms/index.ts'
import type { WatchFacts } from '../../modules/diagnosis/index.ts'
import type { TriggersModule } from '../../modules/triggers/index.ts'

/** Triggers of a device that the doctor looks at. */
const TRIGGERS = 100
const NAMES = 5

/** What watches a device, as the doctor tells of it: only what its caller may see. */
export async function watchOf(
  ctx: Ctx,
  deviceId: string,
  {
    alarms,
    triggers,
  }: { alarms: Pick<AlarmsModule, 'service' | 'figures'>; triggers: Pick<TriggersModule, 'service'> },
): Promise<WatchFacts> {
  const may = (permission: Permission) => ctx.actor.kind === 'system' || ctx.actor.permissions.has(permission)
  const [open, kept, watching] = await Promise.all([
    may('alarm:read')
      ? alarms.service.list(ctx, { deviceId, active: '1', sort: '-level', limit: NAMES, total: '1' })
      : null,
    may('alarm:read') ? alarms.figures.maintenance(ctx, deviceId) : null,
    may('trigger:read') ? triggers.service.list(ctx, { deviceId, limit: TRIGGERS }) : null,
  ])
  const told = (state: string) =>
    (watching?.items ?? [])
      .filter(trigger => trigger.state === state)
      .map(({ name, fault }) => ({ name, why: fault?.message ?? '' }))
  return {
    maintenance:
      kept?.until && kept.since
        ? { until: Date.parse(kept.until), since: Date.parse(kept.since), reason: kept.reason ?? '' }
        : null,
    alarms: open && {
      open: open.total ?? open.items.length,
      level: open.items[0]?.level ?? 0,
      at: open.items.length > 0 ? Math.max(...open.items.map(({ raisedAt }) => Date.parse(raisedAt))) : null,
      names: [...new Set(open.items.map(({ triggerName }) => triggerName))],
    },
    triggers: watching && {
      judged: watching.items.filter(({ state }) => state === 'enabled').length,
      failing: told('error'),
      paused: told('paused'),
    },
  }
}
