import { timingSafeEqual } from 'node:crypto'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import type { Clients } from './clients.ts'
import * as connections from './connections.repo.ts'
import * as devices from './devices.repo.ts'
import type { Downlinks } from './downlinks.ts'
import { ackOf, EVENTS, type EventName, eventOf, type LoraEvent, logOf, statusOf, uplinkOf } from './events.ts'

export interface UplinksService {
  /**
   * What ChirpStack says by its HTTP integration.
   * @throws AppError lora_event.unauthorized, lora_event.unreadable, lora_event.busy
   */
  take(connectionId: string, authorization: string | undefined, event: string, body: unknown): Promise<{ ok: boolean }>
}

export interface UplinksDeps {
  database: Database
  clients: Clients
  gateway: Pick<GatewayPort, 'lora'>
  downlinks: Downlinks
  now(): number
}

export function createUplinksService(deps: UplinksDeps): UplinksService {
  const { database, clients, gateway, downlinks, now } = deps

  async function connectionFor(id: string, authorization: string | undefined): Promise<connections.ConnectionRow> {
    const row = await database.withSystemScope('lora', scope => connections.find(scope, id))
    const secret = row && clients.secretsOf(row).callback
    if (!row || row.state === 'disabled' || !secret || !isSame(authorization ?? '', `Bearer ${secret}`))
      throw new AppError('lora_event.unauthorized')
    return row
  }

  /** A command's item in ChirpStack's queue has ended, one way or the other. */
  async function settle(
    connection: connections.ConnectionRow,
    device: { productKey: string; deviceNo: string },
    queueItemId: string,
    said: { code: number; message: string | null },
  ): Promise<void> {
    const commandId =
      queueItemId === ''
        ? null
        : await database.withSystemScope('lora', scope => devices.ended(scope, connection.id, queueItemId))
    if (commandId === null) return
    if (said.code === 0) await gateway.lora?.(device, { kind: 'delivered', commandId })
    await gateway.lora?.(device, { kind: 'reply', commandId, ...said })
  }

  async function uplink(
    connection: connections.ConnectionRow,
    event: LoraEvent,
    device: { productKey: string; deviceNo: string } | null,
    body: unknown,
  ): Promise<void> {
    const up = uplinkOf(body)
    if (!up) throw new AppError('lora_event.unreadable')
    await database.withSystemScope('lora', scope => devices.heard(scope, connection.id, event.devEui, up))
    if (!device) return
    const outcome = await gateway.lora?.(device, {
      kind: 'uplink',
      gatewayId: up.gatewayId,
      version: event.class,
      port: up.port,
      bytes: up.bytes,
      values: up.object === null ? null : JSON.stringify(up.object),
    })
    if (!outcome || (outcome.outcome === 'unavailable' && outcome.reason === 'overloaded'))
      throw new AppError('lora_event.busy', { retryAfterSeconds: 5 })
  }

  return {
    async take(connectionId, authorization, name, body) {
      const connection = await connectionFor(connectionId, authorization)
      if (!EVENTS.includes(name as EventName)) throw new AppError('lora_event.unreadable')
      const event = eventOf(body)
      if (!event) throw new AppError('lora_event.unreadable')
      const at = event.time ?? new Date(now())
      const bound = await database.withSystemScope('lora', scope => devices.seen(scope, connection, event, at))
      const device =
        bound.productKey !== null && bound.deviceNo !== null
          ? { productKey: bound.productKey, deviceNo: bound.deviceNo }
          : null
      switch (name as EventName) {
        case 'up':
          await uplink(connection, event, device, body)
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
          if (device && log.level === 'error')
            await settle(connection, device, queueItemId, { code: 2, message: `${log.code}: ${log.text}` })
          break
        }
        // Sent by a gateway, and not yet known to have been heard: the device's own word comes as `ack`.
        case 'txack':
        case 'location':
          break
      }
      // It listens now, or has just said that it can take more.
      if (bound.num !== null) await downlinks.serve([bound.num])
      return { ok: true }
    },
  }
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
