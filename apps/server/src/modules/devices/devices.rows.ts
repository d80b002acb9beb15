import type { Attributes } from '@thingwright/contracts/devices.contract'

export type Lifecycle = 'inactive' | 'active' | 'disabled' | 'recycled'

export interface DeviceLocation {
  lng: number
  lat: number
  address?: string
}

/** A device to be made. What is not there gets the column's default. */
export interface NewDevice {
  id: string
  tenantId: string
  productId: string
  productNum: number
  deviceNo: string
  name: string
  secretHash: Buffer
  secretCipher: Buffer
  groupId?: string | null
  tags?: string[]
  attributes?: Attributes
  description?: string
  location?: DeviceLocation | null
  offlineDelaySeconds?: number | null
  searchText?: string
  searchGrams?: number[]
}

/** What is changed of a device. */
export interface DeviceChange {
  name?: string
  lifecycle?: Lifecycle
  /** What a device in the recycle bin was before. */
  lifecycleBefore?: Lifecycle | null
  recycledAt?: Date | null
  groupId?: string | null
  tags?: string[]
  attributes?: Attributes
  description?: string
  location?: DeviceLocation | null
  offlineDelaySeconds?: number | null
  searchText?: string
  searchGrams?: number[]
}
