import type { AuthorisedDevice } from '../../lib/authorised.ts'
import type { Database } from '../../lib/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { purgeDevice, type RefusedRow, refusedFramesOf } from './device-log.repo.ts'
import { telemetryRoutes } from './telemetry.routes.ts'
import { createShadowReader, createTelemetryService, type TelemetryService } from './telemetry.service.ts'
import { inSnapshot, type Reader } from './telemetry.snapshot.ts'

export interface TelemetryModule {
  service: TelemetryService
  routes: BoundRoute[]
  readShadow(
    device: AuthorisedDevice,
  ): Promise<{ reported: Record<string, unknown>; desired: Record<string, unknown>; version: number }>
  readRefusedFrames(productNum: number, limit: number): Promise<RefusedRow[]>
  purge(deviceNum: number): Promise<void>
}

export function createTelemetryModule(deps: { database: Database }): TelemetryModule {
  const { database } = deps
  const service = createTelemetryService(deps)
  return {
    service,
    routes: telemetryRoutes(service),
    readShadow: createShadowReader(database),
    readRefusedFrames: (productNum, limit) =>
      inSnapshot(database, reader => refusedFramesOf(reader, productNum, limit)),
    purge: deviceNum => purgeDevice(database.telemetry as unknown as Reader, deviceNum),
  }
}
