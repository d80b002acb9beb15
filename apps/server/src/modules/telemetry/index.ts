export { createTelemetryModule, type TelemetryModule } from './telemetry.module.ts'
export type { TelemetryService } from './telemetry.service.ts'
