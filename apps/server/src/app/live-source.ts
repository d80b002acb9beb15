import { actorId, type Ctx } from '../lib/context.ts'
import type { Database } from '../lib/database/database.ts'
import { isUuid } from '../lib/ids.ts'
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
  inbox: (tenantId: string) => `inbox:${tenantId}`,
  tasks: (loginId: string) => `tasks:${loginId}`,
  me: (loginId: string) => `me:${loginId}`,
  menus: 'menus',
}

export interface LiveSnapshots {
  properties(ctx: Ctx, deviceId: string): Promise<Record<string, { value: unknown; ts: number; quality: string }>>
  state(ctx: Ctx, deviceId: string): Promise<{ link: string; lifecycle: string; alarmLevel: number }>
  commands(ctx: Ctx, deviceId: string): Promise<unknown>
  tasks(ctx: Ctx): Promise<unknown>
  frames(ctx: Ctx, deviceId: string): Promise<unknown>
}

/** A topic of the caller himself: a person's, or a program's own tasks. */
function ownTopic({ actor }: LiveCaller, name: (id: string) => string): string | null {
  const id = actorId(actor)
  return id === null ? null : name(id)
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
      if (pattern === 'tasks') return ownTopic(caller, hubTopic.tasks)
      if (pattern === 'me') return ownTopic(caller, hubTopic.me)
      if (pattern === 'menus') return hubTopic.menus
      if (pattern === 'inbox') return hubTopic.inbox(caller.tenantId)
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
      const { devices } = await database.withTenant(caller, scope => authoriseDevices(scope, ids.filter(isUuid)))
      return new Set(devices.map(device => device.id))
    },
    async snapshot(caller, pattern, id) {
      const ctx = context(caller)
      if (pattern === 'device/{id}/properties') return snapshots.properties(ctx, id!)
      if (pattern === 'device/{id}/state') return snapshots.state(ctx, id!)
      if (pattern === 'device/{id}/commands') return snapshots.commands(ctx, id!)
      if (pattern === 'tasks') return snapshots.tasks(ctx)
      if (pattern === 'device/{id}/frames') return snapshots.frames(ctx, id!)
      // The list and the message log are read over HTTP; the topic carries what happens from now on.
      return {}
    },
  }
}
