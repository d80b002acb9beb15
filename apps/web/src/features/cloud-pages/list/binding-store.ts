import type { Operation } from '@thingwright/contracts/api-paths'
import { ApiError } from '../../../lib/api/api-error.ts'
import { call } from '../../../lib/api-client.ts'
import { may } from '../../../lib/permissions.ts'
import { useSession } from '../../../lib/session.ts'
import type { BindingStore } from './page-bindings.ts'

/** What the signed-in person sees of the company. */
export const bindingStore: BindingStore = {
  device: id => ifSeen('devices.get', () => call('devices.get', { params: { id } })),
  devicesNumbered: q => items('devices.list', () => call('devices.list', { query: { q, limit: 100 } })),
  camera: id => ifSeen('videoChannels.get', () => call('videoChannels.get', { params: { id } })),
  camerasOf: q => items('videoChannels.list', () => call('videoChannels.list', { query: { q, limit: 100 } })),
  roles: () => items('roles.list', () => call('roles.list', { query: { limit: 100 } })),
}

async function items<T>(operation: Operation, ask: () => Promise<{ items: T[] }>): Promise<T[]> {
  return (await ifSeen(operation, ask))?.items ?? []
}

/** undefined: it is not there, or not for this person. */
async function ifSeen<T>(operation: Operation, ask: () => Promise<T>): Promise<T | undefined> {
  if (!may(useSession.getState().me?.permissions, operation)) return undefined
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}
