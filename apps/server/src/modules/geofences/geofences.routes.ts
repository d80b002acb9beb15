import { geofencesContract } from '@thingwright/contracts/geofences.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { exportGeofences } from './geofence-export.ts'
import type { GeofencesService } from './geofences.service.ts'

export function geofencesRoutes(database: Database, geofences: GeofencesService): BoundRoute[] {
  return [
    bind(geofencesContract.list, (ctx, { query }) => geofences.list(ctx, query)),
    bind(geofencesContract.export, (ctx, { query }) => exportGeofences(database, geofences, ctx, query)),
    bind(geofencesContract.create, (ctx, { body }) => geofences.create(ctx, body)),
    bind(geofencesContract.get, (ctx, { params }) => geofences.get(ctx, params.id)),
    bind(geofencesContract.devices, (ctx, { params }) => geofences.devices(ctx, params.id)),
    bind(geofencesContract.update, (ctx, { params, body }) => geofences.update(ctx, params.id, body)),
    bind(geofencesContract.remove, (ctx, { params }) => geofences.remove(ctx, params.id)),
  ]
}
