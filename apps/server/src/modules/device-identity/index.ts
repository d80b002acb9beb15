export {
  createDeviceIdentityModule,
  type DeviceIdentityDeps,
  type DeviceIdentityModule,
} from './device-identity.module.ts'
export { deviceIdentityTools } from './device-identity.tools.ts'
