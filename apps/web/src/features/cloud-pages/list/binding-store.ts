import { ApiError } from '../../../lib/api/api-error.ts'
import { call } from '../../../lib/api-client.ts'
import type { BindingStore } from './page-bindings.ts'

/** What the signed-in person sees of the company. */
export const bindingStore: BindingStore = {
  device: id => ifSeen(call('devices.get', { params: { id } })),
  devicesNumbered: async deviceNo =>
    (await ifSeen(call('devices.list', { query: { q: deviceNo, limit: 100 } })))?.items ?? [],
  camera: id => ifSeen(call('videoChannels.get', { params: { id } })),
  camerasOf: async serial =>
    (await ifSeen(call('videoChannels.list', { query: { q: serial, limit: 100 } })))?.items ?? [],
  roles: async () => (await ifSeen(call('roles.list', { query: { limit: 100 } })))?.items ?? [],
}

/** undefined: it is not there, or not for this person. */
async function ifSeen<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}
