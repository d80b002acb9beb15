import { actorId, type Ctx } from '../lib/context.ts'
import type { Database } from '../lib/database/database.ts'
import { isUuid } from '../lib/ids.ts'
import type { LiveTopic } from '../lib/live-topic.ts'
import { authoriseDevice, authoriseDevices } from '../modules/devices/index.ts'
import type { LiveCaller, LiveTopicSource } from '../modules/live/index.ts'

export const FRAME_TOPICS = 'frames:'

/** Numbers of the devices whose raw frames somebody watches, from the hub's topics. */
export const framedDevices = (topics: readonly string[]): number[] =>
  topics.map(topic => Number(topic.slice(FRAME_TOPICS.length)))

/** Names of the hub's topics: what is published under them never crosses a company. */
export const hubTopic = {
  properties: (device: number) => `properties:${device}`,
  state: (device: number) => `state:${device}`,
  commands: (device: number) => `commands:${device}`,
  messages: (device: number) => `messages:${device}`,
  frames: (device: number) => `${FRAME_TOPICS}${device}`,
  tenantStates: (tenantId: string) => `states:${tenantId}`,
  me: (loginId: string) => `me:${loginId}`,
}

export interface LiveSnapshots {
  properties(ctx: Ctx, deviceId: string): Promise<Record<string, { value: unknown; ts: number; quality: string }>>
  state(ctx: Ctx, deviceId: string): Promise<{ link: string; lifecycle: string; alarmLevel: number }>
  commands(ctx: Ctx, deviceId: string): Promise<unknown>
  frames(ctx: Ctx, deviceId: string): Promise<unknown>
  /** Topics of the modules. */
  topics: readonly LiveTopic[]
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
  const ofModules = new Map<string, LiveTopic>(snapshots.topics.map(topic => [topic.pattern, topic]))
  return {
    async resolve(caller, pattern, id) {
      const own = ofModules.get(pattern)
      if (own) return own.nameFor(caller)
      if (pattern === 'me') {
        const me = actorId(caller.actor)
        return me === null ? null : hubTopic.me(me)
      }
      if (pattern === 'devices/state') return hubTopic.tenantStates(caller.tenantId)
      if (!id || !isUuid(id)) return null
      const { num } = await database.withTenant(caller, scope => authoriseDevice(scope, id))
      if (pattern === 'device/{id}/properties') return hubTopic.properties(num)
      if (pattern === 'device/{id}/state') return hubTopic.state(num)
      if (pattern === 'device/{id}/commands') return hubTopic.commands(num)
      if (pattern === 'device/{id}/frames') return hubTopic.frames(num)
      return hubTopic.messages(num)
    },
    async visible(caller, ids) {
      const asked = ids.filter(isUuid)
      return database.withTenant(caller, async scope => {
        const seen = new Set((await authoriseDevices(scope, asked)).devices.map(device => device.id))
        for (const topic of snapshots.topics) for (const id of (await topic.visible?.(scope, asked)) ?? []) seen.add(id)
        return seen
      })
    },
    async snapshot(caller, pattern, id) {
      const ctx = context(caller)
      const own = ofModules.get(pattern)
      if (own) return own.snapshot?.(ctx) ?? {}
      if (pattern === 'device/{id}/properties') return snapshots.properties(ctx, id!)
      if (pattern === 'device/{id}/state') return snapshots.state(ctx, id!)
      if (pattern === 'device/{id}/commands') return snapshots.commands(ctx, id!)
      if (pattern === 'device/{id}/frames') return snapshots.frames(ctx, id!)
      // The list and the message log are read over HTTP; the topic carries what happens from now on.
      return {}
    },
  }
}
