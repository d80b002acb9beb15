import { addressesContract } from './addresses.contract.ts'
import { assistantContract } from './assistant.contract.ts'
import { auditContract, userLogContract } from './audit.contract.ts'
import { commandBatchesContract } from './command-batches.contract.ts'
import { commandTemplatesContract } from './command-templates.contract.ts'
import { commandsContract } from './commands.contract.ts'
import { accountContract } from './company.contract.ts'
import { consentsContract } from './consents.contract.ts'
import { apiKeysContract, developerContract } from './developer.contract.ts'
import { deviceBatchesContract } from './device-batches.contract.ts'
import { deviceCasContract, deviceIdentityContract, productIdentityContract } from './device-identity.contract.ts'
import { deviceImportsContract } from './device-imports.contract.ts'
import { devicesContract } from './devices.contract.ts'
import { diagnosisContract } from './diagnosis.contract.ts'
import { dialectsContract } from './dialects.contract.ts'
import { firmwareContract } from './firmware.contract.ts'
import { firmwareDownloadContract } from './firmware-download.contract.ts'
import { formatsContract } from './formats.contract.ts'
import { groupsContract } from './groups.contract.ts'
import { companyContract, identityContract, menusContract } from './identity.contract.ts'
import type { Contracts } from './index.ts'
import { deviceLinksContract, linksContract } from './links.contract.ts'
import { mcpContract } from './mcp.contract.ts'
import { mediaContract } from './media.contract.ts'
import { membersContract } from './members.contract.ts'
import { menuEditorContract } from './menu-editor.contract.ts'
import { notificationsContract } from './notifications.contract.ts'
import { announcementsContract, operatorContract } from './operator.contract.ts'
import { otaCampaignsContract, otaJobsContract } from './ota.contract.ts'
import { productLibraryContract } from './product-library.contract.ts'
import { productsContract } from './products.contract.ts'
import { rolesContract } from './roles.contract.ts'
import { savedViewsContract } from './saved-views.contract.ts'
import { searchContract } from './search.contract.ts'
import { securityContract } from './security.contract.ts'
import { statisticsContract } from './statistics.contract.ts'
import { subDevicesContract } from './sub-devices.contract.ts'
import { subscriptionsContract } from './subscriptions.contract.ts'
import { tasksContract } from './tasks.contract.ts'
import { telemetryContract } from './telemetry.contract.ts'
import { thingModelsContract } from './thing-models.contract.ts'
import { tlinkContract } from './tlink.contract.ts'
import { transferContract } from './transfer.contract.ts'
import { unknownKeysContract } from './unknown-keys.contract.ts'

/** The same routes as values: for the server's registry, the generated path map and the tests. Never imported by the web. */
export const allContracts: Contracts = {
  addresses: addressesContract,
  account: accountContract,
  announcements: announcementsContract,
  apiKeys: apiKeysContract,
  assistant: assistantContract,
  audit: auditContract,
  commandBatches: commandBatchesContract,
  commands: commandsContract,
  commandTemplates: commandTemplatesContract,
  company: companyContract,
  consents: consentsContract,
  developer: developerContract,
  deviceLinks: deviceLinksContract,
  deviceBatches: deviceBatchesContract,
  deviceCas: deviceCasContract,
  deviceIdentity: deviceIdentityContract,
  deviceImports: deviceImportsContract,
  devices: devicesContract,
  dialects: dialectsContract,
  unknownKeys: unknownKeysContract,
  diagnosis: diagnosisContract,
  firmware: firmwareContract,
  firmwareDownload: firmwareDownloadContract,
  formats: formatsContract,
  groups: groupsContract,
  identity: identityContract,
  links: linksContract,
  mcp: mcpContract,
  media: mediaContract,
  members: membersContract,
  menuEditor: menuEditorContract,
  menus: menusContract,
  notifications: notificationsContract,
  operator: operatorContract,
  otaCampaigns: otaCampaignsContract,
  otaJobs: otaJobsContract,
  productIdentity: productIdentityContract,
  productLibrary: productLibraryContract,
  products: productsContract,
  roles: rolesContract,
  security: securityContract,
  tasks: tasksContract,
  savedViews: savedViewsContract,
  search: searchContract,
  statistics: statisticsContract,
  subDevices: subDevicesContract,
  subscriptions: subscriptionsContract,
  telemetry: telemetryContract,
  thingModels: thingModelsContract,
  tlink: tlinkContract,
  transfer: transferContract,
  userLog: userLogContract,
}
