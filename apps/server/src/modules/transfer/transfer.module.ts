import type { BoundRoute } from '../../lib/http.ts'
import { transferRoutes } from './transfer.routes.ts'
import { createTransferService, type TransferDeps, type TransferService } from './transfer.service.ts'

export interface TransferModule {
  service: TransferService
  routes: BoundRoute[]
}

export function createTransferModule(deps: TransferDeps): TransferModule {
  const service = createTransferService(deps)
  return { service, routes: transferRoutes(service) }
}
