import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import { geofencesRoutes } from './geofences.routes.ts'
import { createGeofencesService, type GeofencesService } from './geofences.service.ts'
import { geofencesTools } from './geofences.tools.ts'

export interface GeofencesNeeds {
  database: Database
}

export interface GeofencesModule extends ModuleParts {
  service: GeofencesService
  routes: BoundRoute[]
}

export function createGeofencesModule({ database }: GeofencesNeeds): GeofencesModule {
  const service = createGeofencesService({ database })
  return { service, routes: geofencesRoutes(database, service), search: [found(service)] }
}

const found = (service: GeofencesService): SearchSource => ({
  kind: 'geofence',
  permission: 'device:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(({ id, name, remark }) => ({
      id,
      title: name,
      subtitle: remark,
      link: `/stat/DeviceMap?fence=${id}`,
    })),
})

export const geofencesModule = defineModule({
  name: 'geofences',
  tools: geofencesTools,
  create: createGeofencesModule,
})
