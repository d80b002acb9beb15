export { createOtaModule, type OtaModule, type OtaModuleDeps } from './ota.module.ts'
export { campaignFinder, firmwareFinder, otaTools } from './ota.tools.ts'
export { applyFirmwareReports, type DeviceReport } from './reports.ts'
