import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { FirmwareAnswer, FirmwareQuestion } from '../../modules/ota/firmware.port.ts'
import type { DeviceRecord } from '../uplink.ts'
import { ChunkServer } from './chunk-server.ts'
import { moduleOf } from './firmware-report.ts'

export interface FirmwareOptions {
  /** Null when nobody answers. */
  ask(asked: FirmwareQuestion): Promise<FirmwareAnswer | null>
  monotonic: Clock
  logger: Logger
}

/** What devices get of their firmware over their own connection. */
export interface Firmware {
  readonly chunks: ChunkServer
  /** Answers `{"module"?}` with what is to be installed, `{"id": null}` for nothing; null: cannot be said now. */
  pull(device: DeviceRecord, payload: Buffer): Promise<Buffer | null>
}

export function createFirmware({ ask, monotonic, logger }: FirmwareOptions): Firmware {
  /** @throws when the answer did not come */
  async function answered<K extends FirmwareQuestion['kind']>(
    asked: Extract<FirmwareQuestion, { kind: K }>,
  ): Promise<Extract<FirmwareAnswer, { kind: K }>> {
    const answer = await ask(asked)
    if (answer?.kind !== asked.kind) throw new Error('no answer about firmware')
    return answer as Extract<FirmwareAnswer, { kind: K }>
  }

  return {
    chunks: new ChunkServer({
      downloads: async jobs => (await answered({ kind: 'downloads', jobs: [...jobs] })).downloads,
      bytes: async (key, start, end) => (await answered({ kind: 'bytes', key, start, end })).bytes,
      monotonic,
      logger,
    }),
    async pull(device, payload) {
      const module = moduleOf(named(payload))
      if (module === null) return NOTHING
      try {
        const { notify } = await answered({ kind: 'pull', device: device.num, module })
        return notify ? Buffer.from(JSON.stringify(notify)) : NOTHING
      } catch (error) {
        logger.warn({ err: error, device: device.num }, 'what a device is to install could not be asked')
        return null
      }
    },
  }
}

const NOTHING = Buffer.from('{"id":null}')

function named(payload: Buffer): unknown {
  if (payload.length > 1_024) return undefined
  try {
    const value: unknown = JSON.parse(payload.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>).module : undefined
  } catch {
    return undefined
  }
}
