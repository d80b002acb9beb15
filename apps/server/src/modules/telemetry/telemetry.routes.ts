import { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { TelemetryService } from './telemetry.service.ts'

export function telemetryRoutes(telemetry: TelemetryService): BoundRoute[] {
  return [
    bind(telemetryContract.latest, (ctx, { params }) => telemetry.latest(ctx, params.id)),
    bind(telemetryContract.latestOfMany, (ctx, { query }) => telemetry.latestOfMany(ctx, query)),
    bind(telemetryContract.series, (ctx, { params, query }) => telemetry.series(ctx, params.id, query)),
    bind(telemetryContract.raw, (ctx, { params, query }) => telemetry.raw(ctx, params.id, query)),
    bind(telemetryContract.exportCsv, (ctx, { params, query }) => telemetry.exportCsv(ctx, params.id, query)),
    bind(telemetryContract.messages, (ctx, { params, query }) => telemetry.messages(ctx, params.id, query)),
    bind(telemetryContract.exportMessages, (ctx, { params, query }) => telemetry.exportMessages(ctx, params.id, query)),
    bind(telemetryContract.availability, (ctx, { params, query }) => telemetry.availability(ctx, params.id, query)),
    bind(telemetryContract.events, (ctx, { params, query }) => telemetry.events(ctx, params.id, query)),
    bind(telemetryContract.connections, (ctx, { params, query }) => telemetry.connections(ctx, params.id, query)),
  ]
}
