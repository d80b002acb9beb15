/** A device that holds its product's secret and asks for one of its own; checked by the process that makes devices. */
export interface RegistrationRequest {
  productKey: string
  deviceNo: string
  productSecret: string
  /** Address without port. */
  address: string
}

/** A gateway speaks of a device that is not there; its product says that such devices are made. */
export interface SubDeviceRequest {
  /** Installation-wide integer of the gateway, and its company. */
  gateway: number
  tenantId: string
  /** What the gateway calls the device. */
  sub: string
}

export type RegistrationRefusal =
  | 'wrong_product_secret'
  | 'registration_off'
  | 'registration_unlisted'
  | 'registration_waiting'
  | 'registration_rejected'
  | 'registration_done'
  | 'disabled'
  | 'not_published'
  | 'quota_full'
  | 'rate_limited'
  | 'unavailable'

export type RegistrationAnswer =
  /** The access token of a device that has one. */
  { ok: true; deviceSecret: string; accessToken?: string } | { ok: false; reason: RegistrationRefusal }
