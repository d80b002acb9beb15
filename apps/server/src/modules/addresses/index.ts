import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { defineModule } from '../../lib/module.ts'
import { addressesRoutes } from './addresses.routes.ts'
import { type AddressesService, createAddressesService } from './addresses.service.ts'
import { addressesTools } from './addresses.tools.ts'

export type { AddressesService } from './addresses.service.ts'

export interface AddressesModule {
  service: AddressesService
  routes: BoundRoute[]
}

export function createAddressesModule({ database }: { database: Database }): AddressesModule {
  const service = createAddressesService(database)
  return { service, routes: addressesRoutes(service) }
}

export const addressesModule = defineModule({
  name: 'addresses',
  tools: addressesTools,
  create: createAddressesModule,
})
