export { mergeSegments, type StoredSegment } from './segments/merge-segments.ts'
export { HOUR_MS, type Readings, type Segment, toSegments } from './segments/segment.ts'
export { createTelemetryModule, type TelemetryModule } from './telemetry.module.ts'
export type { TelemetryService } from './telemetry.service.ts'
