import type { BoundRoute } from '../../lib/http.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import { type RefusedRow, refusedFramesOf, renumberValues } from './device-log.repo.ts'
import { purgeDevice } from './device-purge.repo.ts'
import { type ImportedReadings, storeImported } from './history-import.repo.ts'
import { type MovedNumber, type MovedProperty, moveHistory } from './history-move.repo.ts'
import { telemetryRoutes } from './telemetry.routes.ts'
import {
  createShadowReader,
  createTelemetryService,
  type TelemetryDeps,
  type TelemetryService,
} from './telemetry.service.ts'
import { inSnapshot } from './telemetry.snapshot.ts'

export interface TelemetryModule {
  service: TelemetryService
  routes: BoundRoute[]
  readShadow(
    device: AuthorisedDevice,
  ): Promise<{ reported: Record<string, unknown>; desired: Record<string, unknown>; version: number }>
  readRefusedFrames(productNum: number, limit: number): Promise<RefusedRow[]>
  purge(deviceNum: number): Promise<void>
  /** Values kept under a number of a property are found under another one from now on. */
  renumber(moves: readonly { device: number; from: number; to: number }[]): Promise<void>
  /** What was kept of a device is found under the number of another one from now on; repeatable. */
  moveHistory(devices: readonly MovedNumber[], properties: readonly MovedProperty[]): Promise<void>
  /** Stores values of the past; see history-import.repo.ts. */
  storeImported(values: readonly ImportedReadings[], at: number, part: number): Promise<void>
}

export function createTelemetryModule(deps: TelemetryDeps): TelemetryModule {
  const { database } = deps
  const service = createTelemetryService(deps)
  return {
    service,
    routes: telemetryRoutes(service),
    readShadow: createShadowReader(database),
    readRefusedFrames: (productNum, limit) =>
      inSnapshot(database, reader => refusedFramesOf(reader, productNum, limit)),
    storeImported: (values, at, part) => storeImported(database.telemetry, values, at, part),
    renumber: moves => renumberValues(database.telemetry, moves),
    moveHistory: (devices, properties) => moveHistory(database.telemetry, devices, properties),
    purge: deviceNum => purgeDevice(database.telemetry, deviceNum),
  }
}
