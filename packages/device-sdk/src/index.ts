/** A device of the platform over MQTT or HTTP. */
export type { CommandContext, PropertySetHandler, ServiceHandler } from './command-desk.ts'
export { connectDevice, createDevice, type DeviceOptions } from './connect.ts'
export { Device, type Point, type Shadow, type StateListener, type TimeSync, type Values } from './device.ts'
export {
  BufferFullError,
  ClosedError,
  CommandRefusal,
  NotSupportedError,
  RefusedError,
  SignInRefusedError,
  TimeoutError,
} from './errors.ts'
export { type BootChoice, chooseSlot } from './firmware/boot.ts'
export type { FirmwareLink, FirmwareProgress } from './firmware/link.ts'
export { type FirmwareNotify, readNotify } from './firmware/notify.ts'
export { FileFirmwareStore, type FirmwareState, type FirmwareStore, type Slot } from './firmware/store.ts'
export { FirmwareUpdater, type UpdaterOptions } from './firmware/updater.ts'
export { manifestOf, publicKeyOf } from './firmware/verify.ts'
export { compareVersions } from './firmware/version.ts'
