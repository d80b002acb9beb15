import type { addressesContract } from './addresses.contract.ts'
import type { assistantContract } from './assistant.contract.ts'
import type { auditContract, userLogContract } from './audit.contract.ts'
import type { commandBatchesContract } from './command-batches.contract.ts'
import type { commandTemplatesContract } from './command-templates.contract.ts'
import type { commandsContract } from './commands.contract.ts'
import type { accountContract } from './company.contract.ts'
import type { consentsContract } from './consents.contract.ts'
import type { apiKeysContract, developerContract } from './developer.contract.ts'
import type { deviceBatchesContract } from './device-batches.contract.ts'
import type { deviceCasContract, deviceIdentityContract, productIdentityContract } from './device-identity.contract.ts'
import type { deviceImportsContract } from './device-imports.contract.ts'
import type { devicesContract } from './devices.contract.ts'
import type { diagnosisContract } from './diagnosis.contract.ts'
import type { dialectsContract } from './dialects.contract.ts'
import type { firmwareContract } from './firmware.contract.ts'
import type { firmwareDownloadContract } from './firmware-download.contract.ts'
import type { formatsContract } from './formats.contract.ts'
import type { groupsContract } from './groups.contract.ts'
import type { companyContract, identityContract, menusContract } from './identity.contract.ts'
import type { deviceLinksContract, linksContract } from './links.contract.ts'
import type { mcpContract } from './mcp.contract.ts'
import type { mediaContract } from './media.contract.ts'
import type { membersContract } from './members.contract.ts'
import type { menuEditorContract } from './menu-editor.contract.ts'
import type { notificationsContract } from './notifications.contract.ts'
import type { announcementsContract, operatorContract } from './operator.contract.ts'
import type { otaCampaignsContract, otaJobsContract } from './ota.contract.ts'
import type { productLibraryContract } from './product-library.contract.ts'
import type { productsContract } from './products.contract.ts'
import type { rolesContract } from './roles.contract.ts'
import type { savedViewsContract } from './saved-views.contract.ts'
import type { searchContract } from './search.contract.ts'
import type { securityContract } from './security.contract.ts'
import type { statisticsContract } from './statistics.contract.ts'
import type { subDevicesContract } from './sub-devices.contract.ts'
import type { subscriptionsContract } from './subscriptions.contract.ts'
import type { tasksContract } from './tasks.contract.ts'
import type { telemetryContract } from './telemetry.contract.ts'
import type { thingModelsContract } from './thing-models.contract.ts'
import type { tlinkContract } from './tlink.contract.ts'
import type { transferContract } from './transfer.contract.ts'
import type { unknownKeysContract } from './unknown-keys.contract.ts'

/** Every route of the system by feature; the web derives its typed calls from this type. */
export interface Contracts {
  addresses: typeof addressesContract
  account: typeof accountContract
  announcements: typeof announcementsContract
  apiKeys: typeof apiKeysContract
  assistant: typeof assistantContract
  audit: typeof auditContract
  commandBatches: typeof commandBatchesContract
  commands: typeof commandsContract
  commandTemplates: typeof commandTemplatesContract
  company: typeof companyContract
  consents: typeof consentsContract
  developer: typeof developerContract
  deviceLinks: typeof deviceLinksContract
  deviceBatches: typeof deviceBatchesContract
  deviceCas: typeof deviceCasContract
  deviceIdentity: typeof deviceIdentityContract
  deviceImports: typeof deviceImportsContract
  devices: typeof devicesContract
  dialects: typeof dialectsContract
  unknownKeys: typeof unknownKeysContract
  diagnosis: typeof diagnosisContract
  firmware: typeof firmwareContract
  firmwareDownload: typeof firmwareDownloadContract
  formats: typeof formatsContract
  groups: typeof groupsContract
  identity: typeof identityContract
  links: typeof linksContract
  mcp: typeof mcpContract
  media: typeof mediaContract
  members: typeof membersContract
  menuEditor: typeof menuEditorContract
  menus: typeof menusContract
  notifications: typeof notificationsContract
  operator: typeof operatorContract
  otaCampaigns: typeof otaCampaignsContract
  otaJobs: typeof otaJobsContract
  productIdentity: typeof productIdentityContract
  productLibrary: typeof productLibraryContract
  products: typeof productsContract
  roles: typeof rolesContract
  security: typeof securityContract
  tasks: typeof tasksContract
  savedViews: typeof savedViewsContract
  search: typeof searchContract
  statistics: typeof statisticsContract
  subDevices: typeof subDevicesContract
  subscriptions: typeof subscriptionsContract
  telemetry: typeof telemetryContract
  thingModels: typeof thingModelsContract
  tlink: typeof tlinkContract
  transfer: typeof transferContract
  userLog: typeof userLogContract
}

export type { BodyOf, ParamsOf, QueryOf, ResponseOf, RouteContract, RoutePermission } from './route.ts'
