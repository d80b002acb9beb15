import type { DeviceProfile } from '@chirpstack/chirpstack-api/api/device_profile_pb.js'
import type { Gateway } from '@chirpstack/chirpstack-api/api/gateway_pb.js'
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js'

export interface KeptProfile {
  message: DeviceProfile
  /** null: made for all tenants */
  tenantId: string | null
  createdAt: number
  updatedAt: number
}

export interface KeptGateway {
  message: Gateway
  properties: Map<string, string>
  createdAt: number
  updatedAt: number
  lastSeenAt: number | null
  /** Uplinks by the minute that it heard them: [minute, frequency, data rate, count] */
  heard: { at: number; frequency: number; dr: number; count: number }[]
  sent: { at: number; frequency: number; dr: number; status: string; count: number }[]
}

/** What the simulated server knows. */
export interface Things {
  tenant: { id: string; name: string; createdAt: number }
  applications: { id: string; name: string }[]
  profiles: Map<string, KeptProfile>
  gateways: Map<string, KeptGateway>
}

export const stamp = (ms: number) => timestamp.Timestamp.fromDate(new Date(ms))
export const matches = (text: string, search: string) => text.toLowerCase().includes(search.toLowerCase())
