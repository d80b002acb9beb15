declare const authorised: unique symbol

/**
 * Numbers of devices whose company was checked under row-level security. Telemetry tables carry no tenant, so their
 * repositories take nothing else, and only `devices.access` makes one.
 */
export type AuthorisedDeviceIds = readonly number[] & { readonly [authorised]: true }

/** A device that the caller's company owns. */
export interface AuthorisedDevice {
  readonly id: string
  readonly num: number
  readonly tenantId: string
  readonly name: string
  readonly deviceNo: string
  readonly productId: string
  readonly productNum: number
  readonly productKey: string
  /** Epoch ms: an end user who was given the device without its history sees nothing from before. */
  readonly historyFrom: number | null
  readonly lifecycle: 'inactive' | 'active' | 'disabled' | 'recycled'
  /** The way into telemetry: this one device. */
  readonly ids: AuthorisedDeviceIds
}

/** Puts the brand on. Called by `devices.access` after its check, and by nobody else (an architecture rule). */
export function brandAuthorised(deviceNums: readonly number[]): AuthorisedDeviceIds {
  return deviceNums as AuthorisedDeviceIds
}
