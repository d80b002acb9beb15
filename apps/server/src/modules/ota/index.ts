export { createOtaModule, type OtaModule, type OtaModuleDeps } from './ota.module.ts'
export { applyFirmwareReports, type DeviceReport } from './reports.ts'
