import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import type { Inbox } from '../notifications/index.ts'
import type { TriggerActionPort, TriggerTask } from './action.port.ts'
import { ExpressionError, evaluate } from './expression.ts'
import words from './trigger-words.json' with { type: 'json' }

/** Puts a command into the queue of a device, with the permissions of an actor. @returns its id */
export type SendCommand = (
  ctx: ReturnType<typeof systemContext>,
  deviceId: string,
  command: { kind: 'property_set' | 'service'; identifier?: string; params: Record<string, unknown> },
) => Promise<string>

/** Posts a signed JSON body. */
export type PostWebhook = (
  id: string,
  tenantId: string,
  name: string,
  target: { url: string; headers?: Record<string, string>; secrets: string[] },
  body: string,
  attempt: number,
) => Promise<{ isOk: boolean; isFinal: boolean; message: string | null }>

/** A notice in the console. */
export function notifyAction(database: Database, inbox: Inbox): TriggerActionPort {
  return {
    kind: 'notify',
    async run(task) {
      const { action, trigger } = task
      const loginIds = Array.isArray(action.loginIds) ? action.loginIds.filter(id => typeof id === 'string') : []
      const title = typeof action.title === 'string' && action.title !== '' ? action.title : null
      const text = typeof action.text === 'string' && action.text !== '' ? action.text : null
      const both = (own: string | null, key: 'raised' | 'cleared' | 'text') => ({
        zh: fill(own ?? words.zh[key], task),
        en: fill(own ?? words.en[key], task),
      })
      const isClear = task.on === 'clear'
      await database.withTenant({ tenantId: task.tenantId }, scope =>
        inbox.notify(scope, {
          tenantId: task.tenantId,
          to: loginIds.length > 0 ? { loginIds } : { permission: 'alarm:read' },
          kind: isClear ? 'alarm.cleared' : 'alarm.raised',
          title: both(title, isClear ? 'cleared' : 'raised'),
          text: both(text, 'text'),
          link: task.alarmId
            ? `/manage/user/center/alarm?alarm=${task.alarmId}`
            : `/manage/user/center/trigger?trigger=${trigger.id}`,
          level: isClear ? 'info' : (trigger.level ?? 1) >= 4 ? 'error' : 'warning',
        }),
      )
      return { result: 'done' }
    },
  }
}

/** Fills `{device}`, `{value}`, `{values.temperature}` and their like; what is not known stays empty. */
export function fill(text: string, task: TriggerTask): string {
  const values = valuesOf(task)
  const known: Record<string, string> = {
    device: task.device?.name ?? '',
    deviceNo: task.device?.deviceNo ?? '',
    trigger: task.trigger.name,
    level: task.trigger.level === null ? '' : String(task.trigger.level),
    value: Object.entries(values)
      .map(([key, value]) => `${key} = ${shown(value)}`)
      .join(', '),
    time: `${new Date(task.at).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
  }
  return text
    .replaceAll(/\{(values\.)?([A-Za-z_]\w{0,63})\}/g, (_, isValue: string | undefined, key: string) =>
      isValue ? shown(values[key]) : (known[key] ?? ''),
    )
    .slice(0, 1_000)
}

const shown = (value: unknown) =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

function valuesOf({ values, device }: TriggerTask): Record<string, unknown> {
  // Where two devices have the same property, that of the device in question counts.
  const ordered = [...values].sort((a, b) => Number(a.deviceId === device?.id) - Number(b.deviceId === device?.id))
  return Object.fromEntries(ordered.map(({ property, value }) => [property, value]))
}

/** Writes to the device that caused it, or to another one. */
export function commandAction(send: SendCommand, now: () => number): TriggerActionPort {
  return {
    kind: 'command',
    async run(task) {
      const { action, owner, tenantId } = task
      const deviceId = typeof action.deviceId === 'string' ? action.deviceId : task.device?.id
      if (!deviceId) return { result: 'failed', message: 'device.not_found' }
      if (owner && owner.kind !== 'system' && !owner.permissions.has('device:command'))
        return { result: 'skipped', message: 'permission.denied' }
      const command = action.command as { kind: 'property_set' | 'service'; identifier?: string; params?: object }
      try {
        const params = worked(command.params ?? {}, valuesOf(task))
        const ctx = {
          ...systemContext(tenantId, 'trigger', now()),
          ...(owner ? { actor: owner } : {}),
          requestId: task.id,
        }
        const commandId = await send(ctx, deviceId, {
          kind: command.kind,
          ...(command.identifier === undefined ? {} : { identifier: command.identifier }),
          params,
        })
        return { result: 'done', commandId }
      } catch (error) {
        if (error instanceof ExpressionError) return { result: 'failed', message: error.message }
        if (isAppError(error)) return { result: 'failed', message: error.code }
        throw error
      }
    },
  }
}

/** Texts that begin with `=` are worked out. */
function worked(params: object, values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      typeof value === 'string' && value.startsWith('=') ? evaluate(value.slice(1), values) : value,
    ]),
  )
}

/** Posts JSON to an address. */
export function webhookAction(post: PostWebhook): TriggerActionPort {
  return {
    kind: 'webhook',
    async run(task) {
      const { action, trigger, device, values, alarmId, at, on } = task
      // The envelope of data subscriptions, so that one program can read both.
      const item = {
        id: task.id,
        type: on === 'raise' ? 'alarm.raised' : 'alarm.cleared',
        ts: at,
        productKey: device?.productKey ?? '',
        deviceNo: device?.deviceNo ?? '',
        deviceId: device?.id ?? '',
        data: { alarmId, triggerId: trigger.id, name: trigger.name, level: trigger.level, values },
      }
      const body = JSON.stringify({ items: [item] })
      const headers = action.headers as Record<string, string> | undefined
      const outcome = await post(
        trigger.id,
        task.tenantId,
        trigger.name,
        {
          url: String(action.url),
          ...(headers ? { headers } : {}),
          secrets: typeof action.secret === 'string' ? [action.secret] : [],
        },
        body,
        task.attempts + 1,
      )
      if (outcome.isOk) return { result: 'done' }
      return {
        result: outcome.isFinal ? 'failed' : 'again',
        ...(outcome.message === null ? {} : { message: outcome.message }),
      }
    },
  }
}
