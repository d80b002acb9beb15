import { type CalendarInput, type CalendarView, MAX_CALENDARS } from '@thingwright/contracts/timed-tasks.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './calendars.repo.ts'
import type { TimedTasksService } from './timed-tasks.service.ts'

export interface CalendarsService {
  list(ctx: Ctx): Promise<{ items: CalendarView[] }>
  /** @throws AppError calendar.name_taken, calendar.day_both, calendar.limit */
  create(ctx: Ctx, input: CalendarInput): Promise<CalendarView>
  /** @throws AppError calendar.not_found, version.conflict and those of `create` */
  update(ctx: Ctx, id: string, input: CalendarInput & { version: number }): Promise<CalendarView>
  /** @throws AppError calendar.in_use */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export function createCalendarsService(deps: {
  database: Database
  tasks: Pick<TimedTasksService, 'calendarChanged'>
}): CalendarsService {
  const { database, tasks } = deps

  async function known(scope: TenantScope, id: string): Promise<repo.CalendarRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('calendar.not_found')
    return row
  }

  async function checked(
    scope: TenantScope,
    id: string,
    input: CalendarInput,
  ): Promise<Parameters<typeof repo.insert>[1]> {
    const taken = await repo.idNamed(scope, input.name)
    if (taken !== null && taken !== id)
      throw new AppError('calendar.name_taken', {
        params: { name: input.name },
        fields: { name: { code: 'calendar.name_taken', params: { name: input.name } } },
      })
    const [holidays, workdays] = [days(input.holidays), days(input.workdays)]
    const both = workdays.find(day => holidays.includes(day))
    if (both !== undefined)
      throw new AppError('calendar.day_both', {
        params: { day: both },
        fields: { workdays: { code: 'calendar.day_both', params: { day: both } } },
      })
    return { id, name: input.name, holidays, workdays }
  }

  return {
    list: ctx => database.withTenant(ctx, async scope => ({ items: (await repo.list(scope)).map(toView) })),

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        if ((await repo.list(scope)).length >= MAX_CALENDARS)
          throw new AppError('calendar.limit', { params: { limit: MAX_CALENDARS } })
        const row = await checked(scope, newId(ctx.now), input)
        await repo.insert(scope, row)
        await recordAudit(scope, ctx, {
          action: 'calendar.create',
          objectType: 'calendar',
          objectId: row.id,
          objectName: row.name,
          after: { holidays: row.holidays, workdays: row.workdays },
        })
        return toView(await known(scope, row.id))
      }),

    update: (ctx, id, { version, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        const row = await checked(scope, id, input)
        if (!(await repo.update(scope, row, version)))
          throw new AppError('version.conflict', { params: { current: toView(before) } })
        // Also tasks that the caller does not see go by it.
        await scope.wholeCompany('in-use', () => tasks.calendarChanged(scope, id, ctx.now))
        await recordAudit(scope, ctx, {
          action: 'calendar.update',
          objectType: 'calendar',
          objectId: id,
          objectName: row.name,
          before: { name: before.name, holidays: before.holidays, workdays: before.workdays },
          after: { name: row.name, holidays: row.holidays, workdays: row.workdays },
        })
        return toView(await known(scope, id))
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await scope.wholeCompany('in-use', () => known(scope, id))
        if (before.tasks > 0) throw new AppError('calendar.in_use', { params: { tasks: before.tasks } })
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'calendar.remove',
          objectType: 'calendar',
          objectId: id,
          objectName: before.name,
          before: { holidays: before.holidays, workdays: before.workdays },
        })
        return { ok: true }
      }),
  }
}

const days = (given: readonly string[]) => [...new Set(given)].sort()

function toView({ updatedAt, ...row }: repo.CalendarRow): CalendarView {
  return { ...row, updatedAt: updatedAt.toISOString() }
}
