import { inBackground } from '../../lib/background.ts'
import { untilFewer } from '../../lib/batches.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { Inbox } from '../notifications/index.ts'
import type { TriggerAlarms } from '../triggers/trigger-alarms.port.ts'
import { exportAlarms } from './alarm-export.ts'
import { type AlarmFiguresService, createAlarmFigures } from './alarm-figures.service.ts'
import { type AlarmLevelsTransfer, alarmLevelsTransfer } from './alarm-levels.transfer.ts'
import { alarmsAttention } from './alarms.attention.ts'
import * as repo from './alarms.repo.ts'
import { alarmsRoutes } from './alarms.routes.ts'
import { type AlarmsService, createAlarmsService } from './alarms.service.ts'
import { createObjectAlarms, type ObjectAlarms } from './object-alarms.ts'

export interface AlarmsDeps {
  database: Database
  inbox: Inbox
  timeZone(tenantId: string): Promise<string>
  logger: Logger
  now(): number
}

export interface AlarmsModule extends ModuleParts {
  service: AlarmsService
  figures: AlarmFiguresService
  /** Alarms of cards, gateways and cameras. */
  objects: ObjectAlarms
  /** For triggers, whose alarms end with them. */
  ofTriggers: TriggerAlarms
  /** The levels to and from the file of a company. */
  transfer: AlarmLevelsTransfer
  routes: BoundRoute[]
}

/** Cleared alarms that are removed in one transaction, with all that happened to them. */
const FORGOTTEN_AT_ONCE = 2_000
const UNSHELVE_EVERY_MS = 5_000
/** Alarms that are read at once for live subscribers. */
const MOST_SHOWN = 200

const nameOf = (tenantId: string) => `alarms:${tenantId}`

export function createAlarmsModule(deps: AlarmsDeps): AlarmsModule {
  const { database } = deps
  const service = createAlarmsService({
    database,
    inbox: deps.inbox,
    onSignal: () => database.news.tell('triggers.changed', { ids: [] }),
  })
  const figures = createAlarmFigures(deps)
  const objects = createObjectAlarms(deps)
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()

  async function unshelve(): Promise<void> {
    await database.withSystemScope('alarms', async scope => {
      const rows = await repo.unshelveDue(scope)
      for (const { id, tenantId } of rows) {
        await repo.insertEvent(scope, tenantId, id, {
          id: newId(),
          at: new Date(deps.now()),
          kind: 'unshelved',
          loginId: null,
          name: '',
          text: null,
          photoIds: [],
          detail: {},
        })
        scope.tell('alarms.changed', { tenantId, ids: [id] })
      }
      const devices = await repo.refreshLevels(
        scope,
        rows.flatMap(({ device }) => device ?? []),
      )
      if (devices.length > 0) scope.tell('alarm_levels.changed', { devices })
    })
  }

  return {
    service,
    figures,
    objects,
    transfer: alarmLevelsTransfer,
    routes: alarmsRoutes(service, figures, (ctx, query) =>
      exportAlarms({ database, alarms: service, figures }, ctx, query),
    ),
    ofTriggers: {
      async clearOf(scope, ctx, triggerIds, what = 'all') {
        const cleared = await repo.clearOf(scope, triggerIds, what === 'loop')
        if (cleared.length === 0) return
        const devices = await repo.refreshLevels(scope, [...new Set(cleared.flatMap(({ device }) => device ?? []))])
        if (devices.length > 0) scope.tell('alarm_levels.changed', { devices })
        scope.tell('alarms.changed', { tenantId: ctx.tenantId, ids: cleared.map(({ id }) => id) })
      },
    },
    attention: [alarmsAttention(database)],
    live: [
      {
        pattern: 'alarms',
        nameFor: ({ tenantId }) => nameOf(tenantId),
        visible: (scope, ids) => service.visible(scope, ids),
        hears: publish => ({
          'alarms.changed'({ tenantId, ids }) {
            // In a storm only the last alarms are sent over the live topic; the list shows all of them.
            const shown = ids.slice(-MOST_SHOWN)
            inBackground(
              'telling alarms that changed',
              service.views(shown).then(views => {
                for (const view of views) publish(nameOf(tenantId), view.id, { ...view })
              }),
            )
          },
        }),
      },
    ],
    sweeps: [
      {
        name: 'cleared alarms past their time',
        run: now =>
          untilFewer(FORGOTTEN_AT_ONCE, limit =>
            database.withSystemScope('alarms', scope => repo.forgetCleared(scope, new Date(now), limit)),
          ),
      },
    ],
    runs: [
      {
        name: 'alarms of cards, gateways and cameras',
        phase: 'work',
        start: () => objects.start(),
        stop: () => objects.stop(),
      },
      {
        name: 'shelved alarms',
        phase: 'work',
        start() {
          const again = () => {
            running = unshelve().catch(() => undefined)
            timer = setTimeout(again, UNSHELVE_EVERY_MS)
          }
          timer = setTimeout(again, UNSHELVE_EVERY_MS)
        },
        async stop() {
          if (timer) clearTimeout(timer)
          await running
        },
      },
    ],
  }
}
