import type { Ctx } from '../lib/context.ts'
import type { Database } from '../lib/database.ts'
import { isUuid } from '../lib/ids.ts'
import { authoriseDevice } from '../modules/devices/index.ts'
import type { LiveCaller, LiveTopicSource } from '../modules/live/index.ts'

/** Names of the hub's topics: what is published under them never crosses a company. */
export const hubTopic = {
  properties: (device: number) => `properties:${device}`,
  state: (device: number) => `state:${device}`,
  commands: (device: number) => `commands:${device}`,
  messages: (device: number) => `messages:${device}`,
  tenantStates: (tenantId: string) => `states:${tenantId}`,
}

export interface LiveSnapshots {
  properties(ctx: Ctx, deviceId: string): Promise<Record<string, { value: unknown; ts: number; quality: string }>>
  state(ctx: Ctx, deviceId: string): Promise<{ link: string; lifecycle: string; alarmLevel: number }>
  commands(ctx: Ctx, deviceId: string): Promise<unknown>
}

/** Turns the browser's topics into hub topics, each checked under the caller's company. */
export function createLiveSource(database: Database, snapshots: LiveSnapshots): LiveTopicSource {
  const context = (caller: LiveCaller): Ctx => ({
    tenantId: caller.tenantId,
    actor: caller.actor,
    locale: 'zh',
    requestId: 'live',
    now: Date.now(),
  })
  return {
    async resolve(caller, pattern, id) {
      if (pattern === 'devices/state') return hubTopic.tenantStates(caller.tenantId)
      if (!id || !isUuid(id)) return null
      const { num } = await database.withTenant(caller, scope => authoriseDevice(scope, id))
      if (pattern === 'device/{id}/properties') return hubTopic.properties(num)
      if (pattern === 'device/{id}/state') return hubTopic.state(num)
      if (pattern === 'device/{id}/commands') return hubTopic.commands(num)
      return hubTopic.messages(num)
    },
    async snapshot(caller, pattern, id) {
      const ctx = context(caller)
      if (pattern === 'device/{id}/properties') return snapshots.properties(ctx, id!)
      if (pattern === 'device/{id}/state') return snapshots.state(ctx, id!)
      if (pattern === 'device/{id}/commands') return snapshots.commands(ctx, id!)
      // The list and the message log are read over HTTP; the topic carries what happens from now on.
      return {}
    },
  }
}
