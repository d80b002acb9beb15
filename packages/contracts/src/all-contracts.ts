import { auditContract } from './audit.contract.ts'
import { commandsContract } from './commands.contract.ts'
import { devicesContract } from './devices.contract.ts'
import { groupsContract } from './groups.contract.ts'
import { companyContract, identityContract, menusContract } from './identity.contract.ts'
import type { Contracts } from './index.ts'
import { productsContract } from './products.contract.ts'
import { telemetryContract } from './telemetry.contract.ts'

/** The same routes as values: for the server's registry, the generated path map and the tests. Never imported by the web. */
export const allContracts: Contracts = {
  audit: auditContract,
  commands: commandsContract,
  company: companyContract,
  devices: devicesContract,
  groups: groupsContract,
  identity: identityContract,
  menus: menusContract,
  products: productsContract,
  telemetry: telemetryContract,
}
