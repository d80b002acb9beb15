import type { Database } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import type { Inbox } from '../notifications/index.ts'
import { tellOfObject } from '../triggers/index.ts'
import type { Clients } from './clients.ts'
import * as connections from './connections.repo.ts'
import * as gateways from './gateways.repo.ts'
import { type Lns, LnsError, type LnsGatewayItem } from './lns.port.ts'
import * as profiles from './profiles.repo.ts'
import { tellGateways } from './tell-gateways.ts'

export interface SyncDeps {
  database: Database
  clients: Clients
  inbox: Inbox
  now(): number
}

/** The failure of a call as it is stored with its connection: a code and the server's own text. */
export const faultOf = (error: LnsError): connections.ConnectionFault => ({
  kind: error.fault,
  code: error.code,
  text: error.text,
})

/** Reads everything of a connection. @throws LnsError after the failure was stored with the connection */
export async function syncConnection(deps: SyncDeps, connection: connections.ConnectionRow): Promise<void> {
  const { database, now } = deps
  await noted(deps, connection, async lns => {
    await readProfiles(deps, connection, lns)
    await readGateways(deps, connection, lns)
  })
  await database.withSystemScope('lora', scope => connections.noteSync(scope, connection.id, new Date(now())))
}

/** Reads the states of the gateways. @throws LnsError after the failure was stored with the connection */
export function syncGateways(deps: SyncDeps, connection: connections.ConnectionRow): Promise<void> {
  return noted(deps, connection, lns => readGateways(deps, connection, lns))
}

/** Stores the result of a call with its connection. */
export async function noted<T>(
  { database, clients }: Pick<SyncDeps, 'database' | 'clients'>,
  connection: connections.ConnectionRow,
  work: (lns: Lns) => Promise<T>,
): Promise<T> {
  try {
    const result = await work(clients.of(connection))
    if (connection.fault !== null || connection.state === 'untested')
      await database.withSystemScope('lora', scope => connections.note(scope, connection.id, null))
    return result
  } catch (error) {
    if (!(error instanceof LnsError)) throw error
    // An error about one object is not a failure of the connection.
    if (error.fault === 'credentials' || error.fault === 'unavailable' || error.fault === 'answer')
      await database.withSystemScope('lora', scope => connections.note(scope, connection.id, faultOf(error)))
    throw error
  }
}

async function readProfiles({ database, now }: SyncDeps, connection: connections.ConnectionRow, lns: Lns) {
  const { id: connectionId, tenantId } = connection
  const items = await lns.profiles()
  const unread = await database.withSystemScope('lora', async scope => {
    for (const item of items) await profiles.keep(scope, { id: newId(now()), tenantId, connectionId }, item)
    await profiles.forgetGone(
      scope,
      connectionId,
      items.map(({ remoteId }) => remoteId),
    )
    return profiles.unread(scope, connectionId)
  })
  for (const { id, remoteId } of unread) {
    try {
      const profile = await lns.profile(remoteId)
      await database.withSystemScope('lora', scope => profiles.keepWhole(scope, id, profile))
    } catch (error) {
      // Removed meanwhile, or in an unknown state: the state from the list is kept.
      if (!(error instanceof LnsError) || error.fault === 'unavailable') throw error
    }
  }
}

async function readGateways(deps: SyncDeps, connection: connections.ConnectionRow, lns: Lns) {
  const { database, now } = deps
  const { id: connectionId, tenantId } = connection
  const items = await lns.gateways()
  const changed: { item: LnsGatewayItem; id: string }[] = []
  await database.withSystemScope('lora', async scope => {
    for (const item of items) {
      const ids = { id: newId(now()), tenantId, connectionId, now: new Date(now()) }
      const { id, was } = await gateways.keep(scope, ids, item)
      if (was !== null && was !== item.state) changed.push({ item, id })
      if (item.state !== 'never_seen')
        await tellOfObject(scope, {
          tenantId,
          kind: 'lora_gateway',
          id,
          name: item.name,
          moment: null,
          values: { gatewayId: item.gatewayId, state: item.state, lastSeen: item.lastSeenAt },
        })
    }
    await gateways.forgetGone(
      scope,
      connectionId,
      items.map(({ gatewayId }) => gatewayId),
    )
    await tellGateways(scope, deps.inbox, connection, changed)
  })
}
