import type { TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

export interface StoredSubDevices {
  presence?: 'gateway' | 'silence'
  autoCreateProductId?: string | null
}

export interface SpeechRow {
  id: string
  num: number
  name: string
  nodeType: 'device' | 'gateway' | 'sub_device'
  dialects: { thingsboard?: boolean; alibaba?: boolean }
  subDevices: StoredSubDevices
  autoCreateProductName: string | null
  version: number
}

const FIND_SPEECH = holdable(
  sql<SpeechRow>`select p.id, p.num, p.name, p.node_type as "nodeType", p.dialects, p.sub_devices as "subDevices", p.version,
    (select o.name from products o where o.id = (p.sub_devices ->> 'autoCreateProductId')::uuid and o.deleted_at is null)
      as "autoCreateProductName"
  from products p where p.id = $1 and p.deleted_at is null`,
  part`for update of p`,
)

/** How a product's devices speak, and how those below its gateways behave. */
export async function findSpeech(scope: TenantScope, id: string, lock = false): Promise<SpeechRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_SPEECH.held : FIND_SPEECH.free, [id])
  return rows[0]
}

const WRITE_SPEECH = sql`update products set dialects = $2, sub_devices = $3, version = version + 1, updated_at = now() where id = $1`

/** Writes the change and raises the version. */
export async function writeSpeech(
  scope: TenantScope,
  id: string,
  { dialects, subDevices }: Pick<SpeechRow, 'dialects' | 'subDevices'>,
): Promise<void> {
  await scope.run(WRITE_SPEECH, [id, JSON.stringify(dialects), JSON.stringify(subDevices)])
}
