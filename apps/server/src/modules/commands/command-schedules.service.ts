import type { BodyOf } from '@thingwright/contracts'
import type { CommandScheduleView, commandTemplatesContract } from '@thingwright/contracts/command-templates.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { productRules } from './command-rules.repo.ts'
import * as repo from './command-schedules.repo.ts'
import { holdOwnProduct, templateById } from './command-templates.repo.ts'
import type { CommandIntake } from './commands.intake.ts'

type Contract = typeof commandTemplatesContract

export interface CommandSchedulesService {
  list(ctx: Ctx, productId: string): Promise<{ items: CommandScheduleView[] }>
  add(ctx: Ctx, productId: string, input: BodyOf<Contract['addSchedule']>): Promise<CommandScheduleView>
  set(
    ctx: Ctx,
    productId: string,
    scheduleId: string,
    input: BodyOf<Contract['setSchedule']>,
  ): Promise<CommandScheduleView>
  remove(ctx: Ctx, productId: string, scheduleId: string): Promise<{ ok: boolean }>
}

/** Periodic reads of one product. */
const MAX_SCHEDULES = 20

export function createCommandSchedulesService(deps: {
  database: Database
  intake: CommandIntake
}): CommandSchedulesService {
  const { database, intake } = deps

  /** The parameters fit the template, and nothing about it is dangerous. */
  async function assertUsable(
    scope: TenantScope,
    ctx: Ctx,
    productId: string,
    templateId: string,
    params: Record<string, unknown>,
  ): Promise<void> {
    const template = await templateById(scope, templateId)
    if (!template) throw new AppError('command_template.not_found')
    if (template.productId !== productId) throw new AppError('command_template.other_product')
    try {
      await intake.passDangersOf(scope, systemContext(ctx.tenantId, 'schedule', ctx.now), productId, {
        kind: 'template',
        templateId,
        params,
      })
    } catch (error) {
      if (error instanceof AppError && error.code === 'command.not_alone')
        throw new AppError('command_schedule.dangerous')
      throw error
    }
  }

  return {
    list: (ctx, productId) =>
      database.withTenant(ctx, async scope => {
        if (!(await productRules(scope, productId))) throw new AppError('product.not_found')
        return { items: (await repo.listSchedules(scope, productId)).map(toView) }
      }),

    add: (ctx, productId, input) =>
      database.withTenant(ctx, async scope => {
        if (!(await productRules(scope, productId))) throw new AppError('product.not_found')
        await holdOwnProduct(scope, productId)
        if ((await repo.listSchedules(scope, productId)).length >= MAX_SCHEDULES)
          throw new AppError('command_schedule.too_many', { params: { limit: MAX_SCHEDULES } })
        const { templateId, everySeconds, params = {}, enabled = true } = input
        await assertUsable(scope, ctx, productId, templateId, params)
        const id = newId()
        await repo.insertSchedule(scope, { id, productId, templateId, params, everySeconds, enabled })
        return noted(scope, ctx, 'command_schedule.create', null, (await repo.findSchedule(scope, id))!)
      }),

    set: (ctx, productId, scheduleId, input) =>
      database.withTenant(ctx, async scope => {
        const before = await existing(scope, productId, scheduleId)
        await holdOwnProduct(scope, productId)
        const params = input.params ?? before.params
        await assertUsable(scope, ctx, productId, before.templateId, params)
        const changed = await repo.updateSchedule(scope, {
          id: scheduleId,
          params,
          everySeconds: input.everySeconds,
          enabled: input.enabled ?? before.enabled,
          version: input.version,
        })
        if (!changed) throw new AppError('version.conflict', { params: { current: toView(before) } })
        return noted(scope, ctx, 'command_schedule.update', before, (await repo.findSchedule(scope, scheduleId))!)
      }),

    remove: (ctx, productId, scheduleId) =>
      database.withTenant(ctx, async scope => {
        const before = await existing(scope, productId, scheduleId)
        await holdOwnProduct(scope, productId)
        await repo.deleteSchedule(scope, scheduleId)
        await noted(scope, ctx, 'command_schedule.remove', before, before)
        return { ok: true }
      }),
  }
}

async function existing(scope: TenantScope, productId: string, id: string): Promise<repo.ScheduleRow> {
  const row = await repo.findSchedule(scope, id)
  if (!row || row.productId !== productId) throw new AppError('command_schedule.not_found')
  return row
}

async function noted(
  scope: TenantScope,
  ctx: Ctx,
  action: string,
  before: repo.ScheduleRow | null,
  row: repo.ScheduleRow,
): Promise<CommandScheduleView> {
  const facts = ({ templateName, params, everySeconds, enabled }: repo.ScheduleRow) => ({
    template: templateName,
    params,
    everySeconds,
    enabled,
  })
  await recordAudit(scope, ctx, {
    action,
    objectType: 'command_schedule',
    objectId: row.id,
    objectName: row.templateName,
    before: before ? facts(before) : null,
    after: action.endsWith('.remove') ? null : facts(row),
  })
  return toView(row)
}

function toView(row: repo.ScheduleRow): CommandScheduleView {
  const { id, productId, templateId, templateName, params, everySeconds, enabled, sent, skipped, errorCode } = row
  return {
    id,
    productId,
    templateId,
    templateName,
    params,
    everySeconds,
    enabled,
    lastRunAt: row.lastRun?.toISOString() ?? null,
    sent,
    skipped,
    errorCode,
    version: row.version,
  }
}
