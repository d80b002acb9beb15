import { randomUUID } from 'node:crypto'
import internal from '@chirpstack/chirpstack-api/api/internal_pb.js'
import { stamp } from './things.ts'

type LogItem = InstanceType<typeof internal.LogItem>
export interface Line {
  description: string
  body: object
  properties?: Record<string, string>
}

/** As `monitoring.*_max_history` of ChirpStack's configuration begins. */
const KEPT = 10

/** Frames of gateways and devices and events of devices: the last ones are kept, and listeners hear of new ones. */
export function createTraffic(now: () => number) {
  const kept = new Map<string, LogItem[]>()
  const listeners = new Map<string, Set<(item: LogItem) => void>>()
  return {
    /** @param subject `gateway ID`, `frames DEV_EUI` or `events DEV_EUI` */
    tell(subject: string, { description, body, properties = {} }: Line): void {
      const item = new internal.LogItem()
      item.setId(randomUUID())
      item.setTime(stamp(now()))
      item.setDescription(description)
      item.setBody(JSON.stringify(body))
      for (const [key, value] of Object.entries(properties)) item.getPropertiesMap().set(key, value)
      kept.set(subject, [...(kept.get(subject) ?? []), item].slice(-KEPT))
      for (const listener of listeners.get(subject) ?? []) listener(item)
    },
    listen(subject: string, write: (item: LogItem) => void): () => void {
      for (const item of kept.get(subject) ?? []) write(item)
      const all = listeners.get(subject) ?? new Set()
      listeners.set(subject, all.add(write))
      return () => void all.delete(write)
    },
  }
}

export type Traffic = ReturnType<typeof createTraffic>
