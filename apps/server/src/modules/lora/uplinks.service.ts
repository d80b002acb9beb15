import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { sharedReads } from '../../lib/shared-reads.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { locateDevice } from '../devices/index.ts'
import type { Clients } from './clients.ts'
import * as connections from './connections.repo.ts'
import * as devices from './devices.repo.ts'
import type { Downlinks } from './downlinks.ts'
import {
  ackOf,
  EVENTS,
  type EventName,
  eventOf,
  type LoraEvent,
  logOf,
  positionOf,
  statusOf,
  type Uplink,
  uplinkOf,
} from './events.ts'
import { createSightings } from './sightings.ts'

export interface UplinksService {
  /**
   * Takes an event from ChirpStack's HTTP integration.
   * @throws AppError lora_event.unauthorized, lora_event.unreadable, lora_event.busy
   */
  take(connectionId: string, authorization: string | undefined, event: string, body: unknown): Promise<{ ok: boolean }>
  /**
   * Takes an event of a connection, from any integration.
   * @param patience for a sender that waits: while the device path is overloaded the event is tried again until this aborts
   * @throws AppError lora_event.unreadable, lora_event.busy
   */
  accept(connection: connections.ConnectionRow, event: string, body: unknown, patience?: AbortSignal): Promise<void>
}

export interface UplinksDeps {
  database: Database
  clients: Clients
  gateway: Pick<GatewayPort, 'lora'>
  downlinks: Downlinks
  now(): number
}

/** ChirpStack's code for a frame that it dropped because its `expires_at` was over, whatever the level. */
const EXPIRED = 'EXPIRED'
/** Pause before an uplink is offered again to an overloaded device path, ms. */
const AGAIN_MS = 500

export function createUplinksService(deps: UplinksDeps): UplinksService {
  const { database, clients, gateway, downlinks, now } = deps
  const sightings = createSightings(database)

  /** A network server sends a thousand events a second; those that wait together cost one look-up. */
  const lookUp = sharedReads(async id => {
    const row = await database.withSystemScope('lora', scope => connections.find(scope, id))
    return { row, secret: row && clients.secretsOf(row).callback }
  })

  async function connectionFor(id: string, authorization: string | undefined): Promise<connections.ConnectionRow> {
    const { row, secret } = await lookUp(id)
    if (!row || row.state === 'disabled' || !secret || !isSame(authorization ?? '', `Bearer ${secret}`))
      throw new AppError('lora_event.unauthorized')
    return row
  }

  /** The command whose frame has left ChirpStack's queue, and that it is over; null: none of ours. */
  function endedBy(connection: connections.ConnectionRow, queueItemId: string): Promise<string | null> {
    if (queueItemId === '') return Promise.resolve(null)
    return database.withSystemScope('lora', scope => devices.ended(scope, connection.id, queueItemId))
  }

  /** Reports the end of a queue item to its command: delivered, or failed with a reason. */
  async function settle(
    connection: connections.ConnectionRow,
    device: Ours,
    queueItemId: string,
    said: { code: number; message: string | null },
  ): Promise<void> {
    const commandId = await endedBy(connection, queueItemId)
    if (commandId === null) return
    if (said.code === 0) await gateway.lora?.(device, { kind: 'delivered', commandId })
    await gateway.lora?.(device, { kind: 'reply', commandId, ...said })
  }

  /** @throws AppError lora_event.busy */
  async function uplink(event: LoraEvent, device: Ours, up: Uplink, patience: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const outcome = await gateway.lora?.(device, {
        kind: 'uplink',
        gatewayId: up.gatewayId,
        version: event.class,
        port: up.port,
        bytes: up.bytes,
        values: up.object === null ? null : JSON.stringify(up.object),
      })
      if (outcome && !(outcome.outcome === 'unavailable' && outcome.reason === 'overloaded')) return
      if (!patience || patience.aborted) throw new AppError('lora_event.busy', { retryAfterSeconds: 5 })
      await sleep(AGAIN_MS, undefined, { ref: false })
    }
  }

  /** Stores a position from ChirpStack, unless a person has set the position of the device. */
  async function locate(
    connection: connections.ConnectionRow,
    event: LoraEvent,
    deviceId: string | null,
    body: unknown,
  ) {
    const position = positionOf(body)
    if (!position) throw new AppError('lora_event.unreadable')
    const at = event.time ?? new Date(now())
    await database.withSystemScope('lora', async scope => {
      const before = await devices.located(scope, connection.id, event.devEui, position, at)
      if (deviceId !== null) await locateDevice(scope, deviceId, position, before)
    })
  }

  async function accept(
    connection: connections.ConnectionRow,
    name: string,
    body: unknown,
    patience?: AbortSignal,
  ): Promise<void> {
    if (!EVENTS.includes(name as EventName)) throw new AppError('lora_event.unreadable')
    const event = eventOf(body)
    const up = name === 'up' ? uplinkOf(body) : null
    if (!event || (name === 'up' && !up)) throw new AppError('lora_event.unreadable')
    const at = event.time ?? new Date(now())
    const bound = await sightings.note({ connectionId: connection.id, tenantId: connection.tenantId, event, at, up })
    const device =
      bound.productKey !== null && bound.deviceNo !== null
        ? { productKey: bound.productKey, deviceNo: bound.deviceNo }
        : null
    switch (name as EventName) {
      case 'up':
        if (device) await uplink(event, device, up!, patience)
        break
      case 'join':
        await database.withSystemScope('lora', scope => devices.joined(scope, connection.id, event.devEui, at))
        if (device) await gateway.lora?.(device, { kind: 'heard', gatewayId: '', version: event.class })
        break
      case 'status':
        await database.withSystemScope('lora', scope =>
          devices.noteStatus(scope, connection.id, event.devEui, statusOf(body)),
        )
        if (device) await gateway.lora?.(device, { kind: 'heard', gatewayId: '', version: event.class })
        break
      case 'ack': {
        const { queueItemId, acknowledged } = ackOf(body)
        if (device)
          await settle(
            connection,
            device,
            queueItemId,
            acknowledged ? { code: 0, message: null } : { code: 1, message: 'not acknowledged' },
          )
        break
      }
      case 'log': {
        const { queueItemId, ...log } = logOf(body)
        if (log.level === 'warning' || log.level === 'error')
          await database.withSystemScope('lora', scope =>
            devices.noteProblem(scope, connection.id, event.devEui, log, at),
          )
        const message = `${log.code}: ${log.text}`
        if (device && log.code === EXPIRED) {
          const commandId = await endedBy(connection, queueItemId)
          if (commandId !== null) await gateway.lora?.(device, { kind: 'expired', commandId, message })
        } else if (device && log.level === 'error') await settle(connection, device, queueItemId, { code: 2, message })
        break
      }
      case 'location':
        await locate(connection, event, bound.deviceId, body)
        break
      // The gateway has sent it; whether the device received it is known from `ack`, where that was asked for.
      case 'txack': {
        const { queueItemId } = ackOf(body)
        const commandId =
          device && queueItemId !== ''
            ? await database.withSystemScope('lora', scope => devices.sent(scope, connection.id, queueItemId))
            : null
        if (device && commandId !== null) await gateway.lora?.(device, { kind: 'delivered', commandId })
        break
      }
    }
    // The device can receive now.
    if (bound.num !== null) await downlinks.serveWay({ ...bound, connectionId: connection.id, devEui: event.devEui })
  }

  return {
    accept,
    async take(connectionId, authorization, name, body) {
      await accept(await connectionFor(connectionId, authorization), name, body)
      return { ok: true }
    },
  }
}

interface Ours {
  productKey: string
  deviceNo: string
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
