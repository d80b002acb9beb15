import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { ConnectionRow } from './connections.repo.ts'
import type { Lns, LnsFactory } from './lns.port.ts'

export interface ConnectionSecrets {
  apiKey: string
  password: string
  /** Bearer token of the server's HTTP integration; absent until one is created. */
  callback?: string
  /** Password of the user at the broker of the MQTT integration. */
  mqttPassword?: string
}

/** Clients of the connections, cached until a connection changes. */
export interface Clients {
  of(connection: ConnectionRow): Lns
  forget(id: string): void
  seal(id: string, secrets: ConnectionSecrets): Buffer
  secretsOf(connection: Pick<ConnectionRow, 'id' | 'cipher'>): ConnectionSecrets
  close(): void
}

const MOST_KEPT = 500

export function createClients(factory: LnsFactory, box: CryptoBox): Clients {
  const kept = new Map<string, { version: number; lns: Lns }>()
  const secretsOf: Clients['secretsOf'] = ({ id, cipher }) =>
    JSON.parse(box.open(cipher, context(id)).toString('utf8')) as ConnectionSecrets

  function forget(id: string): void {
    kept.get(id)?.lns.close()
    kept.delete(id)
  }

  return {
    secretsOf,
    forget,
    seal: (id, secrets) => box.seal(JSON.stringify(secrets), context(id)),
    of(connection) {
      const known = kept.get(connection.id)
      if (known?.version === connection.version) return known.lns
      forget(connection.id)
      const { url, remoteTenantId: tenantId, email } = connection
      const lns = factory({ url, tenantId, email, ...secretsOf(connection) }, connection.simulated)
      if (kept.size >= MOST_KEPT) forget(kept.keys().next().value!)
      kept.set(connection.id, { version: connection.version, lns })
      return lns
    },
    close() {
      for (const id of [...kept.keys()]) forget(id)
    },
  }
}

const context = (id: string) => `lora-connection:${id}`
