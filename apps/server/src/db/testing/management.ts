import type { Permission } from '@thingwright/contracts/permissions'
import { type Ctx, WHOLE_COMPANY } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newAccessToken } from '../../lib/crypto/device-credentials.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { auditFixture } from '../../modules/audit/audit.fixtures.ts'
import type { GatewayPort, SessionInfo } from '../../modules/devices/gateway.port.ts'
import {
  countDevicesByGroup,
  countDevicesByProduct,
  createDevicesModule,
  describeDevices,
  giveTokens,
  onlineDeviceNums,
  overlayUsage,
} from '../../modules/devices/index.ts'
import { createGroupsModule } from '../../modules/groups/index.ts'
import type { Notice } from '../../modules/notifications/index.ts'
import {
  countProductsByGroup,
  createProductsModule,
  type FormatTools,
  type RefusedFrame,
} from '../../modules/products/index.ts'
import { createTenantsModule } from '../../modules/tenants/index.ts'
import { insertTenant, type TenantFixture } from '../fixtures.ts'
import { type TestDatabase, testDatabase } from '../testing.ts'
import { memoryStore } from './memory-store.ts'

/** Groups, products, devices and operation log on a test database, with the device path replaced by notes. */
export async function management() {
  const db = await testDatabase()
  const { database } = db
  const gateway = new NotedGateway()
  const purged: number[] = []
  const frames = new Map<number, RefusedFrame[]>()
  const secrets = createCryptoBox('a secret of the installation, long enough', 'device-secrets')
  const notices: Notice[] = []
  const changedCompanies: string[] = []
  database.news.hear({ 'company.changed': ({ tenantId }) => void changedCompanies.push(tenantId) })
  const store = memoryStore()
  const tenants = createTenantsModule({
    database,
    // Notes what would be in the inboxes; what is rolled back is not there.
    inbox: { notify: async (scope, notice) => scope.afterCommit(() => notices.push(notice)) },
    store,
  })
  const groups = createGroupsModule({
    database,
    countObjects: { device: countDevicesByGroup, product: countProductsByGroup },
  })
  const products = createProductsModule({
    database,
    groups: groups.service,
    quotas: tenants.quotas,
    gateway,
    devices: {
      countByProduct: countDevicesByProduct,
      onlineNums: onlineDeviceNums,
      giveTokens: (scope, productId) => giveTokens(scope, productId, id => newAccessToken(secrets, id)),
    },
    usages: [overlayUsage],
    describeDevices,
    formatTools: trustingFormatTools,
    readRefusedFrames: async (num, limit) => (frames.get(num) ?? []).slice(0, limit),
  })
  const state = { purgeFails: false }
  const devices = createDevicesModule({
    database,
    groups: groups.service,
    products: products.service,
    quotas: tenants.quotas,
    gateway,
    secrets,
    logger: silentLogger,
    async purge(num) {
      if (state.purgeFails) throw new Error('the database went away')
      purged.push(num)
    },
    addresses: () => ({
      host: 'iot.example',
      mqttPort: 1883,
      mqttsPort: 8883,
      tcpPort: 6001,
      udpPort: 6001,
      coapPort: 5683,
      wsUrl: 'ws://iot.example:8080/mqtt',
      httpUrl: 'http://iot.example:8080',
    }),
    readShadow: async device => ({ reported: { num: device.num }, desired: {}, version: 1 }),
  })
  const audit = auditFixture(database)
  return {
    db,
    database,
    gateway,
    groups,
    products,
    devices,
    audit,
    tenants,
    notices,
    changedCompanies,
    store,
    purged,
    frames,
    secrets,
    state,
  }
}

export type Management = Awaited<ReturnType<typeof management>>

/** Writes down what it is told, in order. */
export class NotedGateway implements GatewayPort {
  readonly notes: string[] = []
  readonly sessions = new Map<number, SessionInfo>()
  wake(nums: readonly number[]): void {
    this.notes.push(`wake ${nums.join(',')}`)
  }
  forget(what: { device?: number; product?: number }): void {
    this.notes.push(what.device === undefined ? `forget product ${what.product}` : `forget device ${what.device}`)
  }
  kick(num: number): void {
    this.notes.push(`kick ${num}`)
  }
  async session(num: number): Promise<SessionInfo | null> {
    return this.sessions.get(num) ?? null
  }
  /** The notes since the last call. */
  take(): string[] {
    return this.notes.splice(0)
  }
}

export interface Company extends TenantFixture {
  /** A member of the company who asks now; a new request each time it is read. */
  readonly ctx: Ctx
}

/** A company with a member who may do everything. */
export async function company(db: TestDatabase): Promise<Company> {
  const tenant = await insertTenant(db.superuser)
  const loginId = newId()
  return {
    ...tenant,
    get ctx(): Ctx {
      return {
        tenantId: tenant.id,
        actor: {
          kind: 'member',
          loginId,
          username: 'li.na',
          displayName: '李娜',
          permissions: new Set<Permission>(),
          dataScope: WHOLE_COMPANY,
        },
        locale: 'zh',
        requestId: newId(),
        now: Date.now(),
        ip: '192.0.2.7',
      }
    },
  }
}

/** Lets a device have been seen, as the device path writes it. */
export async function seen(
  db: TestDatabase,
  num: number,
  over: { link?: 'online' | 'offline'; lastSeenAt?: Date } = {},
): Promise<void> {
  const at = over.lastSeenAt ?? new Date()
  await db.database.telemetry.query(
    `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at)
     select num, tenant_id, $2, $3, $3 from devices where num = $1
     on conflict (device) do update set link = excluded.link, last_seen_at = excluded.last_seen_at`,
    [num, over.link ?? 'online', at],
  )
}

/** The error a promise is refused with. */
export async function refusal(promise: Promise<unknown>): Promise<AppError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('it was not refused')
}

/** Takes every format, and reads every payload as the JSON of values. */
const trustingFormatTools: FormatTools = {
  check: async body => ({ format: body as never, problems: [] }),
  try: async trial => ({
    ok: true,
    rows:
      trial.direction === 'up' ? [{ ts: trial.at, quality: 'good', values: JSON.parse(trial.payload.toString()) }] : [],
    reason: null,
    path: null,
    detail: null,
    unknown: [],
    leftOut: [],
    fields: [],
    frames: [],
    logs: [],
    tookMs: null,
  }),
  detect: () => [],
}
