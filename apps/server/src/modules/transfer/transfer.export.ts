import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { openDeviceSecret } from '../../lib/crypto/secrets.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import type { ConnectionNames, TransferSource } from '../../lib/transfer-source.ts'
import type { AlarmLevelsTransfer } from '../alarms/index.ts'
import type { PackedPage, PageTransfer } from '../cloud-pages/index.ts'
import type { GeofenceTransfer } from '../geofences/index.ts'
import type { PresetTransfer, TriggerTransfer } from '../triggers/index.ts'
import { FORMAT, type Manifest } from './manifest.ts'
import { toLines } from './rows.ts'
import { sealed } from './seal.ts'
import * as repo from './transfer.repo.ts'
import { type WrittenEntry, type ZipEntry, zipStream } from './zip-writer.ts'

export interface ExportSource {
  database: Database
  /** Opens device secrets. */
  secrets: CryptoBox
  alarmLevels: Pick<AlarmLevelsTransfer, 'pack'>
  pages: Pick<PageTransfer, 'pack'>
  geofences: Pick<GeofenceTransfer, 'pack'>
  further(): readonly TransferSource[]
  connections(): readonly ConnectionNames[]
  triggers: Pick<TriggerTransfer, 'pack'> & { presets: Pick<PresetTransfer, 'pack'> }
  version: string
  readFile(objectKey: string): Promise<AsyncIterable<Uint8Array> | null>
  /** A device's history as CSV, or null when it has none that is kept. */
  history(
    tenantId: string,
    device: { id: string; productId: string },
    from: number,
  ): Promise<AsyncIterable<Uint8Array> | null>
}

export interface ExportWish {
  /** Whoever asked for it, who sees the whole company. */
  ctx: Ctx
  companyName: string
  now: number
  materials: boolean
  telemetryDays: number
  /** Seals device secrets; null: they stay at home. */
  seal: { box: CryptoBox; secrets: NonNullable<Manifest['secrets']> } | null
  /** Told of every device that was written. */
  onDevice(): void
  cancelled(): boolean
}

/** The whole company as a zip, as a stream. */
export function exportCompany(source: ExportSource, wish: ExportWish): AsyncGenerator<Uint8Array> {
  const counts: Record<string, number> = {}
  return sealed(zipStream(entries(source, wish, counts), written => manifestEntry(source, wish, counts, written)))
}

async function* entries(
  source: ExportSource,
  wish: ExportWish,
  counts: Record<string, number>,
): AsyncGenerator<ZipEntry> {
  const { database } = source
  const read = <T>(work: (scope: TenantScope) => Promise<T>) => database.withTenant(wish.ctx, work)
  const listed = async (kind: string, rows: readonly object[]): Promise<ZipEntry> => {
    counts[kind] = rows.length
    return { name: `config/${kind}.ndjson`, body: toLines(each(rows)) }
  }
  yield await listed('settings', [await read(repo.readSettings)])
  yield await listed('groups', await read(repo.readGroups))
  yield await listed('roles', await read(repo.readRoles))
  yield await listed('products', await read(repo.readProducts))
  yield { name: 'config/devices.ndjson', body: toLines(devices(source, wish, counts)) }
  yield { name: 'config/pages.ndjson', body: toLines(pages(source, wish, counts)) }
  const levels = await read(source.alarmLevels.pack)
  yield await listed('alarm_levels', levels ? [{ levels }] : [])
  yield await listed('geofences', await read(source.geofences.pack))
  // In one transaction: they name one another.
  const triggers: object[] = []
  await read(async scope => {
    for await (const trigger of source.triggers.pack(scope)) triggers.push(trigger)
  })
  yield await listed('triggers', triggers)
  yield await listed('trigger_presets', await read(source.triggers.presets.pack))
  // Lines that refer to one another are of one moment.
  for (const kind of source.further()) yield await listed(kind.kind, await read(kind.pack))
  const connections: object[] = []
  for (const { system, list } of source.connections())
    for (const line of await read(list)) connections.push({ system, ...line })
  yield await listed('connections', connections)
  yield await listed('members', await read(repo.readMembers))
  if (wish.materials) {
    const materials = await read(repo.readMaterials)
    yield await listed(
      'materials',
      materials.map(({ objectKey: _, ...line }) => line),
    )
    // The same bytes go in once.
    for (const [sha256, objectKey] of new Map(materials.map(row => [row.sha256, row.objectKey]))) {
      const body = await source.readFile(objectKey)
      if (body) yield { name: `materials/${sha256}`, body, stored: true }
    }
  }
  if (wish.telemetryDays > 0) {
    const from = wish.now - wish.telemetryDays * 86_400_000
    for await (const device of everyDevice(database, wish)) {
      const body = await source.history(wish.ctx.tenantId, device, from)
      if (body) yield { name: `telemetry/${device.productKey}/${device.deviceNo}.csv`, body }
    }
  }
}

async function* everyDevice(database: Database, wish: ExportWish): AsyncGenerator<repo.StoredDevice> {
  let after = 0
  for (;;) {
    const page = await database.withTenant(wish.ctx, scope => repo.readDevices(scope, after))
    if (page.length === 0 || wish.cancelled()) return
    after = page.at(-1)!.num
    yield* page
  }
}

/** What a device does not have is not in its line. */
function withoutNulls<T extends object>(row: T, keys: readonly (keyof T)[]): Partial<T> {
  const line: Partial<T> = { ...row }
  for (const key of keys) if (line[key] === null) delete line[key]
  return line
}

async function* pages(source: ExportSource, wish: ExportWish, counts: Record<string, number>): AsyncGenerator<object> {
  counts.pages = 0
  for (let after: string | null = null; ; ) {
    const from: string | null = after
    const some: PackedPage[] = await source.database.withTenant(wish.ctx, scope => source.pages.pack(scope, from))
    if (some.length === 0 || wish.cancelled()) return
    after = some.at(-1)!.id
    counts.pages += some.length
    yield* some
  }
}

async function* devices(
  source: ExportSource,
  wish: ExportWish,
  counts: Record<string, number>,
): AsyncGenerator<object> {
  counts.devices = 0
  for await (const { id, num: _, productKey, secretCipher, ...row } of everyDevice(source.database, wish)) {
    const line = withoutNulls(row, ['overrides', 'access', 'subAddress', 'gateway'])
    counts.devices++
    wish.onDevice()
    if (!wish.seal) yield line
    else {
      const secret = openDeviceSecret(source.secrets, id, secretCipher)
      yield { ...line, secret: wish.seal.box.seal(secret, `${productKey}/${line.deviceNo}`).toString('base64') }
    }
  }
}

function manifestEntry(
  source: ExportSource,
  wish: ExportWish,
  counts: Record<string, number>,
  written: readonly WrittenEntry[],
): ZipEntry {
  const manifest: Manifest = {
    product: 'thingwright',
    format: FORMAT,
    version: source.version,
    exportedAt: new Date(wish.now).toISOString(),
    company: { id: wish.ctx.tenantId, name: wish.companyName },
    counts,
    telemetry: wish.telemetryDays > 0,
    ...(wish.seal ? { secrets: wish.seal.secrets } : {}),
    files: [...written],
  }
  return { name: 'manifest.json', body: each([new TextEncoder().encode(JSON.stringify(manifest, null, 1))]) }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}
