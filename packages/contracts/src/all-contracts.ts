// biome-ignore-all format: a row a line
// biome-ignore-all assist/source/organizeImports: in the order of the files
import { addressesContract } from './addresses.contract.ts'
import { alarmLinksContract } from './alarm-links.contract.ts'
import { alarmsContract } from './alarms.contract.ts'
import { assistantContract } from './assistant.contract.ts'
import { auditContract, userLogContract } from './audit.contract.ts'
import { calendarsContract } from './calendars.contract.ts'
import { cardDeskContract, cardOrdersContract } from './card-orders.contract.ts'
import { carriersContract } from './carriers.contract.ts'
import { catalogueContract } from './catalogue.contract.ts'
import { cloudPagesContract } from './cloud-pages.contract.ts'
import { commandBatchesContract } from './command-batches.contract.ts'
import { commandTemplatesContract } from './command-templates.contract.ts'
import { commandsContract } from './commands.contract.ts'
import { companyTransfersContract } from './company-transfers.contract.ts'
import { accountContract } from './company.contract.ts'
import { consentsContract } from './consents.contract.ts'
import { contactsContract } from './contacts.contract.ts'
import { apiKeysContract, developerContract } from './developer.contract.ts'
import { deviceBatchesContract } from './device-batches.contract.ts'
import { deviceCasContract, deviceIdentityContract, productIdentityContract } from './device-identity.contract.ts'
import { deviceImportsContract } from './device-imports.contract.ts'
import { deviceMapContract } from './device-map.contract.ts'
import { devicesContract } from './devices.contract.ts'
import { diagnosisContract } from './diagnosis.contract.ts'
import { dialectsContract } from './dialects.contract.ts'
import { endUsersContract, userPackagesContract } from './end-users.contract.ts'
import { firmwareDownloadContract } from './firmware-download.contract.ts'
import { firmwareContract } from './firmware.contract.ts'
import { formatsContract } from './formats.contract.ts'
import { geofencesContract } from './geofences.contract.ts'
import { groupsContract } from './groups.contract.ts'
import { companyContract, identityContract, menusContract } from './identity.contract.ts'
import { invoiceDeskContract, invoiceQualificationsContract, invoiceTitlesContract, invoicesContract } from './invoices.contract.ts'
import { deviceLinksContract, linksContract } from './links.contract.ts'
import { loraCallbacksContract, loraCodecContract, loraDevicesContract } from './lora-devices.contract.ts'
import { loraGatewaysContract } from './lora-gateways.contract.ts'
import { loraLinksContract } from './lora-links.contract.ts'
import { loraMulticastContract } from './lora-multicast.contract.ts'
import { loraProfilesContract } from './lora-profiles.contract.ts'
import { loraConnectionsContract, loraRegionsContract } from './lora.contract.ts'
import { mcpContract } from './mcp.contract.ts'
import { mediaContract } from './media.contract.ts'
import { membersContract } from './members.contract.ts'
import { menuEditorContract } from './menu-editor.contract.ts'
import { merchantAccountsContract, merchantNoticesContract } from './merchant-accounts.contract.ts'
import { billingRunsContract, meterAccountsContract, meterStatementsContract, ownMetersContract } from './meter-statements.contract.ts'
import { metersContract } from './meters.contract.ts'
import { notificationChannelsContract } from './notification-channels.contract.ts'
import { notificationTemplatesContract } from './notification-templates.contract.ts'
import { notificationsContract } from './notifications.contract.ts'
import { announcementsContract, operatorContract } from './operator.contract.ts'
import { otaCampaignsContract, otaJobsContract } from './ota.contract.ts'
import { ownFollowersContract } from './own-followers.contract.ts'
import { pageVisitsContract } from './page-visits.contract.ts'
import { paymentNoticesContract, paymentProvidersContract } from './payment-providers.contract.ts'
import { meterPaymentsContract, meterSettingsContract, ownPaymentsContract } from './prepaid.contract.ts'
import { productLibraryContract } from './product-library.contract.ts'
import { productsContract } from './products.contract.ts'
import { moneyDeskContract, purchaseOrdersContract } from './purchase-orders.contract.ts'
import { pushDevicesContract } from './push-devices.contract.ts'
import { reportsContract } from './reports.contract.ts'
import { rolesContract } from './roles.contract.ts'
import { savedViewsContract } from './saved-views.contract.ts'
import { scenesContract } from './scenes.contract.ts'
import { searchContract } from './search.contract.ts'
import { securityContract } from './security.contract.ts'
import { simCardsContract } from './sim-cards.contract.ts'
import { simTrafficContract } from './sim-traffic.contract.ts'
import { statisticsContract } from './statistics.contract.ts'
import { subDevicesContract } from './sub-devices.contract.ts'
import { subscriptionsContract } from './subscriptions.contract.ts'
import { tariffsContract } from './tariffs.contract.ts'
import { tasksContract } from './tasks.contract.ts'
import { telecomContract, telecomCallbacksContract } from './telecom.contract.ts'
import { telemetryContract } from './telemetry.contract.ts'
import { thingModelsContract } from './thing-models.contract.ts'
import { timedTasksContract } from './timed-tasks.contract.ts'
import { tlinkContract } from './tlink.contract.ts'
import { transferContract } from './transfer.contract.ts'
import { triggerPresetsContract } from './trigger-presets.contract.ts'
import { triggersContract } from './triggers.contract.ts'
import { unknownKeysContract } from './unknown-keys.contract.ts'
import { videoAccountsContract, videoChannelsContract } from './video.contract.ts'
import { walletsContract } from './wallets.contract.ts'
import { portalsContract, webAppsContract } from './web-apps.contract.ts'
import { wechatAccountsContract, wechatCallbacksContract } from './wechat-accounts.contract.ts'
import { wechatAppletSignInContract } from './wechat-applet-sign-in.contract.ts'
import { wechatAppletsContract, wechatPlatformCallbacksContract } from './wechat-applets.contract.ts'
import { wechatFollowersContract } from './wechat-followers.contract.ts'
import { wechatSignInContract } from './wechat-sign-in.contract.ts'
import { wechatSimulatorContract } from './wechat-simulator.contract.ts'

/** Every route as a value, for the server's registry, the generated maps and the tests; never imported by the web. Generated by scripts/api-paths.ts; do not edit. */
export const allContracts = {
  account: accountContract,
  addresses: addressesContract,
  alarmLinks: alarmLinksContract,
  alarms: alarmsContract,
  announcements: announcementsContract,
  apiKeys: apiKeysContract,
  assistant: assistantContract,
  audit: auditContract,
  billingRuns: billingRunsContract,
  calendars: calendarsContract,
  cardDesk: cardDeskContract,
  cardOrders: cardOrdersContract,
  carriers: carriersContract,
  catalogue: catalogueContract,
  cloudPages: cloudPagesContract,
  commandBatches: commandBatchesContract,
  commandTemplates: commandTemplatesContract,
  commands: commandsContract,
  company: companyContract,
  companyTransfers: companyTransfersContract,
  consents: consentsContract,
  contacts: contactsContract,
  developer: developerContract,
  deviceBatches: deviceBatchesContract,
  deviceCas: deviceCasContract,
  deviceIdentity: deviceIdentityContract,
  deviceImports: deviceImportsContract,
  deviceLinks: deviceLinksContract,
  deviceMap: deviceMapContract,
  devices: devicesContract,
  diagnosis: diagnosisContract,
  dialects: dialectsContract,
  endUsers: endUsersContract,
  firmware: firmwareContract,
  firmwareDownload: firmwareDownloadContract,
  formats: formatsContract,
  geofences: geofencesContract,
  groups: groupsContract,
  identity: identityContract,
  invoiceDesk: invoiceDeskContract,
  invoiceQualifications: invoiceQualificationsContract,
  invoiceTitles: invoiceTitlesContract,
  invoices: invoicesContract,
  links: linksContract,
  loraCallbacks: loraCallbacksContract,
  loraCodec: loraCodecContract,
  loraConnections: loraConnectionsContract,
  loraDevices: loraDevicesContract,
  loraGateways: loraGatewaysContract,
  loraLinks: loraLinksContract,
  loraMulticast: loraMulticastContract,
  loraProfiles: loraProfilesContract,
  loraRegions: loraRegionsContract,
  mcp: mcpContract,
  media: mediaContract,
  members: membersContract,
  menuEditor: menuEditorContract,
  menus: menusContract,
  merchantAccounts: merchantAccountsContract,
  merchantNotices: merchantNoticesContract,
  meterAccounts: meterAccountsContract,
  meterPayments: meterPaymentsContract,
  meterSettings: meterSettingsContract,
  meterStatements: meterStatementsContract,
  meters: metersContract,
  moneyDesk: moneyDeskContract,
  notificationChannels: notificationChannelsContract,
  notificationTemplates: notificationTemplatesContract,
  notifications: notificationsContract,
  operator: operatorContract,
  otaCampaigns: otaCampaignsContract,
  otaJobs: otaJobsContract,
  ownFollowers: ownFollowersContract,
  ownMeters: ownMetersContract,
  ownPayments: ownPaymentsContract,
  pageVisits: pageVisitsContract,
  paymentNotices: paymentNoticesContract,
  paymentProviders: paymentProvidersContract,
  portals: portalsContract,
  productIdentity: productIdentityContract,
  productLibrary: productLibraryContract,
  products: productsContract,
  purchaseOrders: purchaseOrdersContract,
  pushDevices: pushDevicesContract,
  reports: reportsContract,
  roles: rolesContract,
  savedViews: savedViewsContract,
  scenes: scenesContract,
  search: searchContract,
  security: securityContract,
  simCards: simCardsContract,
  simTraffic: simTrafficContract,
  statistics: statisticsContract,
  subDevices: subDevicesContract,
  subscriptions: subscriptionsContract,
  tariffs: tariffsContract,
  tasks: tasksContract,
  telecom: telecomContract,
  telecomCallbacks: telecomCallbacksContract,
  telemetry: telemetryContract,
  thingModels: thingModelsContract,
  timedTasks: timedTasksContract,
  tlink: tlinkContract,
  transfer: transferContract,
  triggerPresets: triggerPresetsContract,
  triggers: triggersContract,
  unknownKeys: unknownKeysContract,
  userLog: userLogContract,
  userPackages: userPackagesContract,
  videoAccounts: videoAccountsContract,
  videoChannels: videoChannelsContract,
  wallets: walletsContract,
  webApps: webAppsContract,
  wechatAccounts: wechatAccountsContract,
  wechatAppletSignIn: wechatAppletSignInContract,
  wechatApplets: wechatAppletsContract,
  wechatCallbacks: wechatCallbacksContract,
  wechatFollowers: wechatFollowersContract,
  wechatPlatformCallbacks: wechatPlatformCallbacksContract,
  wechatSignIn: wechatSignInContract,
  wechatSimulator: wechatSimulatorContract,
}
