import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import type { GatewayPort, LoraCommand } from '../devices/gateway.port.ts'
import type { Clients } from './clients.ts'
import * as connections from './connections.repo.ts'
import * as devices from './devices.repo.ts'
import { LnsError } from './lns.port.ts'

export interface Downlinks {
  /** Brings what waits for these devices to the queues of their network servers. */
  serve(nums: readonly number[]): Promise<void>
  /** The same for a device that was just heard, whose way is known. */
  serveWay(way: devices.DownlinkWay): Promise<void>
}

export interface DownlinksDeps {
  database: Database
  clients: Clients
  gateway: Pick<GatewayPort, 'lora'>
  logger: Logger
}

/** Where nothing says which port a device listens on. */
const USUAL_PORT = 2

export function createDownlinks({ database, clients, gateway, logger }: DownlinksDeps): Downlinks {
  async function bring(way: devices.DownlinkWay, commands: readonly LoraCommand[]): Promise<void> {
    const device = { productKey: way.productKey!, deviceNo: way.deviceNo! }
    const connection = await database.withSystemScope('lora', scope => connections.find(scope, way.connectionId))
    for (const command of commands) {
      try {
        if (!connection || connection.state === 'disabled')
          throw new LnsError('unavailable', 'the connection is disabled')
        const lns = clients.of(connection)
        const items = command.frames ?? [null]
        const { port = null, confirmed = true, expiresAt = null } = command.way ?? {}
        for (const [at, frame] of items.entries()) {
          const isLast = at === items.length - 1
          const queueItemId = await lns.enqueue({
            devEui: way.devEui,
            port: port ?? way.port ?? USUAL_PORT,
            // The device's own word is the last frame's.
            confirmed: confirmed && isLast,
            bytes: frame,
            object: frame === null ? (JSON.parse(command.object ?? '{}') as Record<string, unknown>) : null,
            expiresAt: expiresAt === null ? null : new Date(expiresAt),
          })
          if (isLast)
            await database.withSystemScope('lora', scope =>
              devices.queued(scope, {
                queueItemId,
                connectionId: connection.id,
                tenantId: connection.tenantId,
                devEui: way.devEui,
                commandId: command.id,
                confirmed,
              }),
            )
        }
      } catch (error) {
        if (!(error instanceof LnsError)) throw error
        if (error.fault === 'unavailable') await gateway.lora?.(device, { kind: 'returned', commandIds: [command.id] })
        else {
          const message = [error.code, error.text].filter(Boolean).join(' ')
          await gateway.lora?.(device, { kind: 'reply', commandId: command.id, code: 2, message })
        }
      }
    }
  }

  async function serveWay(way: devices.DownlinkWay): Promise<void> {
    const device = { productKey: way.productKey!, deviceNo: way.deviceNo! }
    const answer = await gateway.lora?.(device, { kind: 'take' })
    if (answer?.outcome === 'commands' && answer.commands.length > 0)
      await bring(way, answer.commands).catch((error: Error) =>
        logger.error({ err: error }, 'commands did not reach the network server'),
      )
  }

  return {
    serveWay,
    async serve(nums) {
      const ways = await database.withSystemScope('lora', scope => devices.waysTo(scope, nums))
      for (const way of ways) await serveWay(way)
    },
  }
}
