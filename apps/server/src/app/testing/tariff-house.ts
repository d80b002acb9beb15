import type { Permission } from '@thingwright/contracts/permissions'
import { type DeviceFixture, insertDevice, insertProduct } from '../../db/fixtures.ts'
import { type Company, company } from '../../db/testing/management.ts'
import { memoryStore } from '../../db/testing/memory-store.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { insertRows } from '../../ingest/testing/journal-rows.ts'
import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import type { Notice } from '../../modules/notifications/index.ts'
import { startOfDay } from '../../modules/tariffs/days.ts'
import { createTariffsModule, type TariffsNeeds } from '../../modules/tariffs/tariffs.module.ts'
import { createTasksModule } from '../../modules/tasks/index.ts'
import { createTelemetryModule } from '../../modules/telemetry/index.ts'

export const ZONE = 'Asia/Shanghai'
export const HOUR = 3_600_000
export const at = (day: string, hours = 0) => startOfDay(ZONE, day) + hours * HOUR

const property = (identifier: string, type = 'double') => ({
  identifier,
  name: identifier,
  dataType: { type },
  access: 'r',
})

/** Devices that are never told anything. */
const NO_COMMANDS: TariffsNeeds['commands']['service'] = {
  create: () => Promise.reject(new Error('no command was expected')),
  get: () => Promise.reject(new Error('no command was expected')),
}

/** Nobody pays at a provider. */
export const NO_MERCHANTS: Pick<TariffsNeeds, 'paymentClients' | 'outboundAllow' | 'addresses' | 'seal' | 'mail'> = {
  paymentClients: () => {
    throw new Error('this test pays nobody')
  },
  mail: { send: async () => undefined, outbox: () => null },
  outboundAllow: [],
  addresses: () => ({ httpUrl: 'http://127.0.0.1:9' }),
  seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
}

/** A company with devices that count, and the module on a real database; the clock stands in June 2026. */
export async function tariffHouse(over: Partial<TariffsNeeds> = {}) {
  const db: TestDatabase = await testDatabase()
  const clock = { now: at('2026-06-15') }
  const notices: Notice[] = []
  const own: Company = await company(db)
  const product = await insertProduct(db.superuser, own, {
    model: { properties: [property('energy'), property('note', 'string')], events: [], services: [] },
  } as never)
  const telemetry = createTelemetryModule({ database: db.database })
  const tasks = createTasksModule({
    database: db.database,
    files: memoryStore(),
    logger: silentLogger,
    now: () => Date.now(),
    timing: { lease: 60_000, heartbeat: 30, poll: 30, progress: 20 },
  })
  const house = createTariffsModule({
    database: db.database,
    telemetry: { service: telemetry.service },
    tasks,
    timeZone: async () => ZONE,
    commands: { service: NO_COMMANDS },
    inbox: { notify: async (scope, notice) => scope.afterCommit(() => void notices.push(notice)) },
    ...NO_MERCHANTS,
    logger: silentLogger,
    now: () => clock.now,
    ...over,
  })
  const rights = new Set<Permission>(['money:read', 'money:write'])
  return {
    db,
    own,
    house,
    tasks,
    telemetry,
    clock,
    notices,
    ctx: (): Ctx => ({ ...own.ctx, actor: { ...own.ctx.actor, permissions: rights } as Ctx['actor'], now: clock.now }),
    device: (): Promise<DeviceFixture> => insertDevice(db.superuser, product),
    /** The register at hours of a day on. */
    read: (device: DeviceFixture, day: string, values: readonly (readonly [hours: number, value: number])[]) =>
      insertRows(
        db,
        values.map(([hours, energy]) => ({ device: device.num, values: { energy }, ts: at(day, hours) })),
      ),
    async endUser(name: string): Promise<string> {
      const id = newId()
      await db.superuser.query(
        `insert into logins (id, tenant_id, kind, username, display_name) values ($1::uuid, $2, 'end_user', $1::text, $3)`,
        [id, own.id, name],
      )
      await db.superuser.query('insert into end_users (id, tenant_id, path) values ($1::uuid, $2, array[$1::uuid])', [
        id,
        own.id,
      ])
      return id
    },
    /** As that end user. */
    as: (id: string): Ctx => ({
      ...own.ctx,
      actor: {
        kind: 'end_user',
        loginId: id,
        username: id,
        displayName: '',
        permissions: new Set(),
        dataScope: { kind: 'limited', groupIds: [], productIds: [], own: false, userId: id },
        rights: ['view'],
        deviceLimit: null,
      },
      now: clock.now,
    }),
  }
}
export type TariffHouse = Awaited<ReturnType<typeof tariffHouse>>
