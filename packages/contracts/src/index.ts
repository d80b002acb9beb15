import type { auditContract } from './audit.contract.ts'
import type { commandsContract } from './commands.contract.ts'
import type { devicesContract } from './devices.contract.ts'
import type { groupsContract } from './groups.contract.ts'
import type { companyContract, identityContract, menusContract } from './identity.contract.ts'
import type { productsContract } from './products.contract.ts'
import type { telemetryContract } from './telemetry.contract.ts'

/** Every route of the system by feature; the web derives its typed calls from this type. */
export interface Contracts {
  audit: typeof auditContract
  commands: typeof commandsContract
  company: typeof companyContract
  devices: typeof devicesContract
  groups: typeof groupsContract
  identity: typeof identityContract
  menus: typeof menusContract
  products: typeof productsContract
  telemetry: typeof telemetryContract
}

export type { BodyOf, ParamsOf, QueryOf, ResponseOf, RouteContract, RoutePermission } from './route.ts'
