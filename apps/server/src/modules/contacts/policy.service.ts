import type { BodyOf } from '@thingwright/contracts'
import type {
  NotificationPolicyView,
  notificationChannelsContract,
  TriggerMessagesView,
} from '@thingwright/contracts/notification-channels.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import * as repo from './channels.repo.ts'

type Contract = typeof notificationChannelsContract

export interface PolicyService {
  get(ctx: Ctx): Promise<NotificationPolicyView>
  /** @throws AppError policy.unknown for a contact, group or channel of nobody, policy.zone, version.conflict */
  set(ctx: Ctx, input: BodyOf<Contract['setPolicy']>): Promise<NotificationPolicyView>
  ofTrigger(ctx: Ctx, id: string): Promise<TriggerMessagesView>
  setOfTrigger(ctx: Ctx, id: string, input: BodyOf<Contract['setTriggerMessages']>): Promise<TriggerMessagesView>
}

const LEVELS = [1, 2, 3, 4, 5]
/** What holds until somebody sets a policy. */
const FIRST: NotificationPolicyView = {
  levels: LEVELS.map(level => ({ level, channels: ['email', 'push', 'applet'] })),
  escalation: [],
  recovery: true,
  quiet: null,
  customerWays: [...repo.FIRST_CUSTOMER_WAYS],
  version: 0,
}
const NOTHING: TriggerMessagesView = { repeatMinutes: null, perDay: null, contactIds: [], groupIds: [], version: 0 }

export function createPolicyService({ database, now }: { database: Database; now(): number }): PolicyService {
  const read = async (scope: TenantScope): Promise<NotificationPolicyView> => {
    const row = await repo.policy(scope)
    if (!row) return FIRST
    return { ...row, levels: LEVELS.map(level => ({ level, channels: row.levels[String(level)] ?? [] })) }
  }

  async function refuseStrange(scope: TenantScope, contacts: string[], groups: string[], channels: string[]) {
    const [id] = await repo.strange(scope, { contacts, groups, channels: channels.filter(one => one.length === 36) })
    if (id !== undefined) throw new AppError('policy.unknown', { params: { id } })
  }

  return {
    get: ctx => database.withTenant(ctx, read),
    set: (ctx, { version, levels, escalation, recovery, quiet, customerWays }) =>
      database.withTenant(ctx, async scope => {
        if (quiet) refuseZone(quiet.zone)
        await refuseStrange(
          scope,
          escalation.flatMap(step => step.contactIds),
          escalation.flatMap(step => step.groupIds),
          [...levels, ...escalation].flatMap(one => one.channels),
        )
        const before = await read(scope)
        const policy = {
          levels: Object.fromEntries(levels.map(one => [String(one.level), [...new Set(one.channels)]])),
          escalation: [...escalation].sort((a, b) => a.afterMinutes - b.afterMinutes),
          recovery,
          quiet,
          customerWays: customerWays ?? before.customerWays,
        }
        if ((await repo.setPolicy(scope, version, policy, new Date(now()))) === undefined)
          throw new AppError('version.conflict', { params: { current: before } })
        const after = await read(scope)
        await recordAudit(scope, ctx, {
          action: 'notification_policy.update',
          objectType: 'notification_policy',
          objectId: ctx.tenantId,
          objectName: '',
          before,
          after,
        })
        return after
      }),
    ofTrigger: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        if ((await repo.triggerName(scope, id)) === undefined) throw new AppError('trigger.not_found')
        return (await repo.triggerMessages(scope, id)) ?? NOTHING
      }),
    setOfTrigger: (ctx, id, { version, ...input }) =>
      database.withTenant(ctx, async scope => {
        const name = await repo.triggerName(scope, id)
        if (name === undefined) throw new AppError('trigger.not_found')
        await refuseStrange(scope, input.contactIds, input.groupIds, [])
        const before = (await repo.triggerMessages(scope, id)) ?? NOTHING
        const next = await repo.setTriggerMessages(scope, id, version, input)
        if (next === undefined) throw new AppError('version.conflict', { params: { current: before } })
        await recordAudit(scope, ctx, {
          action: 'notification_trigger.update',
          objectType: 'trigger',
          objectId: id,
          objectName: name,
          before: { ...before },
          after: input,
        })
        return { ...input, version: next }
      }),
  }
}

/** @throws AppError policy.zone */
export function refuseZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    throw new AppError('policy.zone', { params: { zone } })
  }
}
