import type { Actor, Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { AlarmsService } from '../alarms/index.ts'
import type { CommandsService } from '../commands/index.ts'
import type { TelemetryService } from '../telemetry/index.ts'
import type { TimedTasksService } from '../timed-tasks/index.ts'
import { exportPages } from './cloud-page-export.ts'
import * as pagesRepo from './cloud-pages.repo.ts'
import { cloudPagesRoutes } from './cloud-pages.routes.ts'
import { type CloudPagesService, createCloudPagesService } from './cloud-pages.service.ts'
import { createApiValues } from './page-api-values.ts'
import { createPageHub, type VisitorSocket } from './page-hub.ts'
import { createPagePast } from './page-past.ts'
import { type PublishedValues, publishedValues } from './page-report.ts'
import { createTickets, isTicket } from './page-tickets.ts'
import { createPageValues } from './page-values.ts'
import { forgetOldTries } from './page-visits.repo.ts'
import { createPageVisitsService, type PageVisitsService } from './page-visits.service.ts'

export interface CloudPagesNeeds {
  database: Database
  box: CryptoBox
  outboundAllow: readonly string[]
  telemetry: Pick<TelemetryService, 'series' | 'past'>
  commands: Pick<CommandsService, 'create' | 'get'>
  alarms: Pick<AlarmsService, 'list'>
  timedTasks: Pick<TimedTasksService, 'list'>
  timeZone(tenantId: string): Promise<string>
  /** The rights of a person now; null: he may no longer act; undefined: no member. */
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  logger: Logger
  now(): number
}

export interface CloudPagesModule extends ModuleParts {
  service: CloudPagesService
  visits: PageVisitsService
  /** For reports. @throws AppError page.not_found, page.off_line */
  publishedValues(ctx: Ctx, id: string): Promise<PublishedValues>
  /** For the live socket. */
  visitors: {
    isTicket(token: string): boolean
    /** @throws AppError page.ticket_invalid, page.off_line … */
    enter(token: string, socket: VisitorSocket): Promise<void>
    leave(socket: VisitorSocket): void
  }
}

export function createCloudPagesModule(needs: CloudPagesNeeds): CloudPagesModule {
  const { database, now } = needs
  const service = createCloudPagesService({ database })
  const tickets = createTickets(needs.box, now)
  const api = createApiValues({ allow: needs.outboundAllow, now })
  const values = createPageValues({ ...needs, api })
  const past = createPagePast({ ...needs, values })
  const visits = createPageVisitsService({ ...needs, tickets, values, past })
  const hub = createPageHub({ check: visits.check, values: visits.valuesOf, logger: needs.logger })
  return {
    service,
    visits,
    publishedValues: (ctx, id) => publishedValues({ database, values, pages: service }, ctx, id),
    visitors: {
      isTicket,
      async enter(token, socket) {
        const ticket = tickets.read(token)
        if (!ticket) throw new AppError('page.ticket_invalid')
        await hub.enter(ticket, socket)
      },
      leave: hub.leave,
    },
    routes: cloudPagesRoutes({
      pages: service,
      visits,
      preview: async (ctx, id) => ({
        values: (await values.read(
          { tenantId: ctx.tenantId, actor: ctx.actor },
          await service.draft(ctx, id),
          {},
        )) as never,
      }),
      async past(ctx, id, ts) {
        requirePageRight(ctx)
        return past(ctx, await service.draft(ctx, id), {}, ts)
      },
      exportPages: (ctx, query) => exportPages({ database, pages: service }, ctx, query),
    }),
    search: [
      {
        kind: 'page',
        permission: 'page:read',
        find: async (ctx, q, limit) =>
          (await service.list(ctx, { q, limit })).items.map(({ id, name, suffix }) => ({
            id,
            title: name,
            subtitle: `page/${suffix}`,
            link: `/manage/user/center/cloudConfig?id=${id}`,
          })),
      },
    ],
    owned: [{ kind: 'page', count: pagesRepo.countOwned, handOver: pagesRepo.handOver }],
    hears: {
      'pages.changed': ({ ids }) => hub.changed(ids),
      'page.message': ({ pageId, message }) => hub.say(pageId, message),
    },
    sweeps: [
      {
        name: 'old tries of passcodes',
        run: at => database.withSystemScope('cloud-pages', scope => forgetOldTries(scope, new Date(at))),
      },
    ],
    runs: [
      {
        name: 'open cloud pages',
        phase: 'streams',
        stop() {
          hub.close()
          api.close()
        },
      },
    ],
    gauges: async () => ({ page_visitors: hub.visitors() }),
  }
}

/** A caller who may read history but not pages learns nothing of their bindings. */
function requirePageRight({ actor }: Ctx): void {
  if (actor.kind !== 'system' && !actor.permissions.has('page:read'))
    throw new AppError('permission.denied', { params: { permission: 'page:read' } })
}
