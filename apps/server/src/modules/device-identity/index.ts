export {
  createDeviceIdentityModule,
  type DeviceIdentityDeps,
  type DeviceIdentityModule,
} from './device-identity.module.ts'
