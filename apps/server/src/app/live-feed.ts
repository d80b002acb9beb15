import { isRawKey, rawKey } from '@thingwright/thing-model'
import type { LiveReceiver } from '../ingest/consumers/live.consumer.ts'
import type { JournalRow } from '../ingest/lanes.port.ts'
import { holdsProperties, JournalKind } from '../ingest/uplink.ts'
import { inBackground } from '../lib/background.ts'
import type { Database } from '../lib/database/database.ts'
import type { PublishChange } from '../lib/live-topic.ts'
import type { Logger } from '../lib/log.ts'
import type { Hearing } from '../lib/news.ts'
import { runOn, sql } from '../lib/sql/statement.ts'
import type { RawFrame } from '../modules/diagnosis/diagnosis.port.ts'
import { frameView } from '../modules/diagnosis/index.ts'
import type { LiveHub, LiveSocketServer } from '../modules/live/index.ts'
import type { Container } from './container.ts'
import { hubTopic } from './live-source.ts'

export interface LiveFeed extends LiveReceiver {
  /** News that open pages are told of. */
  hears: readonly Hearing[]
  /** Raw frames of a watched device; so many more were too many. */
  frames(device: number, frames: readonly RawFrame[], missed: number): void
}

export interface LiveFeedOptions {
  hub: LiveHub
  sockets: Pick<LiveSocketServer, 'refresh' | 'recheck'>
  container: Pick<Container, 'commands' | 'modules'>
  database: Database
  logger: Logger
}

interface DeviceName {
  id: string
  tenantId: string
}

const MAX_NAMES = 200_000
const KINDS = ['property', 'event', 'reply', 'online', 'offline', 'refused'] as const
const QUALITY = ['good', 'uncertain', 'bad'] as const

const LEARN = sql<{
  num: number
  id: string
  tenant_id: string
}>`select num, id, tenant_id from devices where num = any($1::int[])`

/** Turns what happens in the journal into patches of live topics. */
export function createLiveFeed({ hub, sockets, container, database, logger }: LiveFeedOptions): LiveFeed {
  const names = new Map<number, DeviceName>()
  let stateRows: JournalRow[] = []
  let resolving = false

  const publish: PublishChange = (name, id, patch) => hub.publish(name, { type: 'patch', id, patch, ts: Date.now() })

  /** Presence is published under the company too, so the device's company must be known. */
  async function publishStates(): Promise<void> {
    if (resolving) return
    resolving = true
    try {
      while (stateRows.length > 0) {
        const rows = stateRows
        stateRows = []
        await learn([...new Set(rows.map(row => row.device))].filter(device => !names.has(device)))
        for (const row of rows) {
          const name = names.get(row.device)
          if (!name) continue
          const patch =
            row.kind === JournalKind.online
              ? { link: 'online', lastSeenAt: iso(row.ts), onlineSince: iso(row.ts) }
              : {
                  link: 'offline',
                  onlineSince: null,
                  lastOfflineAt: iso(row.ts),
                  lastOfflineReason: valuesOf(row).reason ?? null,
                }
          hub.publish(hubTopic.state(row.device), { type: 'patch', id: name.id, patch, ts: row.ts })
          hub.publish(hubTopic.tenantStates(name.tenantId), { type: 'patch', id: name.id, patch, ts: row.ts })
        }
      }
    } catch (error) {
      logger.warn({ err: error }, 'live states could not be published')
    } finally {
      resolving = false
    }
  }

  async function learn(devices: number[]): Promise<void> {
    if (devices.length === 0) return
    if (names.size > MAX_NAMES) names.clear()
    const { rows } = await runOn(database.telemetry, LEARN, [devices])
    for (const row of rows) names.set(row.num, { id: row.id, tenantId: row.tenant_id })
  }

  return {
    watches: device => hub.watched(hubTopic.properties(device)) || hub.watched(hubTopic.messages(device)),
    rows(rows) {
      for (const row of rows) {
        const topic = hubTopic.properties(row.device)
        if (holdsProperties(row.kind) && !row.late && hub.watched(topic)) {
          const patch: Record<string, unknown> = {}
          const values = valuesOf(row)
          for (const [identifier, value] of Object.entries(values)) {
            if (isRawKey(identifier)) continue
            const raw = values[rawKey(identifier)]
            patch[identifier] = {
              value,
              ts: row.ts,
              quality: QUALITY[row.quality] ?? 'uncertain',
              ...(raw === undefined ? {} : { raw }),
            }
          }
          hub.publish(topic, { type: 'patch', id: String(row.device), patch, ts: row.ts })
        }
        const messages = hubTopic.messages(row.device)
        // Every message is an object of its own here, so that merging does not swallow one.
        if (hub.watched(messages))
          hub.publish(messages, {
            type: 'patch',
            id: String(row.seq),
            patch: {
              kind: KINDS[row.kind - 1] ?? 'property',
              values: row.values === null ? null : valuesOf(row),
              refusedReason: row.refusedReason,
              late: row.late,
              arrivedAt: iso(row.arrivedAt),
              quality: QUALITY[row.quality] ?? 'uncertain',
              deviceTs: row.deviceTs,
              ts: row.ts,
            },
            ts: row.ts,
          })
        if (row.kind === JournalKind.online || row.kind === JournalKind.offline) stateRows.push(row)
      }
      if (stateRows.length > 0) inBackground('telling states of devices', publishStates())
    },
    gap() {
      sockets.refresh(hub.topics(''))
    },
    frames(device, frames, missed) {
      const topic = hubTopic.frames(device)
      const last = frames.at(-1)
      // Each is an object of its own, so that merging does not swallow one.
      for (const frame of frames) {
        const { id, ...patch } = { ...frameView(frame), ...(frame === last ? { missed } : {}) }
        hub.publish(topic, { type: 'patch', id, patch, ts: frame.at })
      }
    },
    hears: [
      ...container.modules.flatMap(module => module.live ?? []).flatMap(topic => topic.hears?.(publish) ?? []),
      {
        'devices.activated'({ devices }) {
          inBackground(
            'telling devices that were activated',
            learn(devices.filter(device => !names.has(device))).then(
              () => {
                for (const device of devices) {
                  const name = names.get(device)
                  if (!name) continue
                  const patch = { lifecycle: 'active' }
                  hub.publish(hubTopic.state(device), { type: 'patch', id: name.id, patch, ts: Date.now() })
                  hub.publish(hubTopic.tenantStates(name.tenantId), {
                    type: 'patch',
                    id: name.id,
                    patch,
                    ts: Date.now(),
                  })
                }
              },
              (error: Error) => logger.warn({ err: error }, 'live states could not be published'),
            ),
          )
        },
        'alarm_levels.changed'({ devices }) {
          const levels = new Map(devices.map(({ device, level }) => [device, level]))
          inBackground(
            'telling levels of devices',
            learn([...levels.keys()].filter(device => !names.has(device))).then(
              () => {
                for (const [device, alarmLevel] of levels) {
                  const name = names.get(device)
                  if (!name) continue
                  const message = { type: 'patch', id: name.id, patch: { alarmLevel }, ts: Date.now() } as const
                  hub.publish(hubTopic.state(device), message)
                  hub.publish(hubTopic.tenantStates(name.tenantId), message)
                }
              },
              (error: Error) => logger.warn({ err: error }, 'live levels could not be published'),
            ),
          )
        },
        // Their topics are looked at again at once, their consoles told.
        'rights.changed'({ logins }) {
          sockets.recheck(logins)
          for (const loginId of logins)
            hub.publish(hubTopic.me(loginId), { type: 'patch', id: loginId, patch: { rights: true }, ts: Date.now() })
        },
        'live.changed': ({ topic, id, patch }) => publish(topic, id, patch),
        'keys.changed': ({ ids }) => sockets.recheck(ids),
        'commands.changed'({ commands }) {
          const watched = commands.filter(({ device }) => hub.watched(hubTopic.commands(device)))
          if (watched.length === 0) return
          inBackground(
            'telling commands that changed',
            container.commands.service.views(watched.map(({ id }) => id)).then(
              views => {
                const devices = new Map(watched.map(({ id, device }) => [id, device]))
                for (const view of views) {
                  const device = devices.get(view.id)
                  if (device !== undefined)
                    hub.publish(hubTopic.commands(device), {
                      type: 'patch',
                      id: view.id,
                      patch: view as unknown as Record<string, unknown>,
                      ts: Date.now(),
                    })
                }
              },
              (error: Error) => logger.warn({ err: error }, 'live commands could not be published'),
            ),
          )
        },
      },
    ],
  }
}

const iso = (ms: number) => new Date(ms).toISOString()

function valuesOf(row: JournalRow): Record<string, unknown> {
  return JSON.parse(row.values ?? '{}') as Record<string, unknown>
}
