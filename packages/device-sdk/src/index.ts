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
