import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { EndUserRight } from '@thingwright/contracts/end-users.words'
import {
  DEMO_FENCES,
  DEMO_GROUPS,
  DEMO_PRODUCTS,
  DEMO_SUBSCRIPTIONS,
  DEMO_TRIGGERS,
  type DemoProduct,
} from '../db/seeds/demo/catalogue.ts'
import DEMO_CUSTOMERS from '../db/seeds/demo/customers.json' with { type: 'json' }
import { DEMO_PACKAGES, demoFirmwareLife, demoImage, seedDemoCampaign } from '../db/seeds/demo/firmware.seed.ts'
import { seedFleetWeek, takePastOut } from '../db/seeds/demo/fleet-week.seed.ts'
import DEMO_PAGES from '../db/seeds/demo/pages.json' with { type: 'json' }
import { letCustomersSignIn, seedDemoPeople } from '../db/seeds/demo/people.seed.ts'
import DEMO_TIMED_TASKS from '../db/seeds/demo/timed-tasks.json' with { type: 'json' }
import { inBackground } from '../lib/background.ts'
import type { Config } from '../lib/config.ts'
import { systemContext } from '../lib/context.ts'
import { createCryptoBox } from '../lib/crypto/crypto-box.ts'
import { openDeviceSecret } from '../lib/crypto/secrets.ts'
import type { Database } from '../lib/database/database.ts'
import type { DemoCustomer } from '../lib/demo-networks.ts'
import type { Logger } from '../lib/log.ts'
import { sql } from '../lib/sql/statement.ts'
import { type DemoPage, seedDemoPages } from '../modules/cloud-pages/index.ts'
import { demoFenceIds, seedDemoFences } from '../modules/geofences/index.ts'
import { type DemoTimedTasks, seedDemoTimedTasks } from '../modules/timed-tasks/index.ts'
import type { Container } from './container.ts'
import { FURTHER_MODULES } from './further-modules.ts'

/** Pauses before the fleet is started again: doubled while it falls, short again once it was ready. */
/** The counts of messages are written within seconds of the messages. */
const COUNTED_AFTER_MS = 20_000
const FIRST_PAUSE_MS = 3_000
const LONGEST_PAUSE_MS = 60_000
const HISTORY_DAYS = 7
const HISTORY_MESSAGES = 500_000
/** Keep the fleet's process near 55 MB: it makes short-lived garbage only (tools/simulators/device-fleet/README.md). */
const FLEET_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=48', '--single-threaded']

export interface DemoProgress {
  /** History messages stored so far, and in all; null when nothing is being filled in. */
  history: { done: number; total: number } | null
  connected: number
  devices: number
}

export interface Demo {
  /** @param options.tcpPort null: nobody listens for raw TCP, and the devices that need it stay offline */
  start(options: { mqttPort: number; tcpPort: number | null; fresh: boolean }): Promise<void>
  /** Its content is there, or could not be made. */
  seeded(): Promise<void>
  /** The first of its customers; null: there is none any more. */
  customer(): Promise<DemoCustomer | null>
  stop(): Promise<void>
  progress(): DemoProgress
}

export interface DemoOptions {
  config: Pick<Config, 'host'>
  container: Pick<
    Container,
    'cloudPages' | 'groups' | 'products' | 'devices' | 'endUsers' | 'ota' | 'subscriptions' | 'timedTasks' | 'triggers'
  >
  tenantId: string
  database: Database
  dataDir: string
  secretKey: string
  logger: Logger
}

interface Ports {
  mqtt: number
  tcp: number | null
}

type FleetMessage =
  | { type: 'ready'; devices: number; connected: number }
  | { type: 'history'; done: number; total: number; perDevice: number }
  | { type: 'status'; devices: number; connected: number }
  | { type: 'log'; level: 'info' | 'warn' | 'error'; message: string }

/** What the fleet of the demo signs in with. */
const FLEET = sql<{
  id: string
  device_no: string
  product_key: string
  product_name: string
  secret_cipher: Buffer
  version: string | null
}>`select d.id, d.device_no, p.product_key, p.name as product_name, d.secret_cipher, f.version
  from devices d join products p on p.id = d.product_id left join device_firmware f on f.device = d.num and f.module = 'default'
  where d.lifecycle in ('inactive', 'active') and p.status = 'published' and p.deleted_at is null`

const NUMBERED = sql<{ id: string; device_no: string }>`select id, device_no from devices where recycled_at is null`

const SEED = sql<{ device_no: string }>`select device_no from devices where product_id = $1`

/** The demo company's content, and the process that brings its devices to life over real MQTT, TCP and Modbus. */
export function createDemo(options: DemoOptions): Demo {
  const { container, database, logger, tenantId } = options
  const ctx = systemContext(tenantId, 'demo')
  const state: DemoProgress = { history: null, connected: 0, devices: 0 }
  let child: ChildProcess | null = null
  let stopping = false
  let pauseMs = FIRST_PAUSE_MS
  let pastSince: number | null = null
  let seeded: Promise<void> = Promise.resolve()

  /** Idempotent by name and number: a start that was cut off in the middle is completed by the next. */
  async function seed(): Promise<void> {
    const groupIds = new Map<string, string>()
    for (const group of DEMO_GROUPS) {
      const parentId = group.parent ? (groupIds.get(group.parent) ?? null) : null
      const existing = (await container.groups.service.list(ctx, { kind: group.kind })).items.find(
        g => g.name === group.name && g.parentId === parentId,
      )
      groupIds.set(
        group.key,
        existing?.id ??
          (await container.groups.service.create(ctx, { kind: group.kind, name: group.name, parentId })).id,
      )
    }
    await database.withSystemScope('seed', scope => seedDemoPeople(scope, tenantId, groupIds))
    const products = (await container.products.service.list(ctx, { limit: 100 })).items
    const productIds = new Map<string, string>()
    for (const product of DEMO_PRODUCTS) {
      const owned =
        products.find(p => p.name === product.name) ??
        (await container.products.service.create(ctx, {
          name: product.name,
          description: product.description,
          category: product.category,
          icon: product.icon,
          linkType: product.linkType ?? 'mqtt',
          groupId: groupIds.get(product.group) ?? null,
          thingModel: product.thingModel,
        }))
      productIds.set(product.kind, owned.id)
      await seedLink(owned.id, product)
      const known = new Set(
        (await database.withTenant(ctx, async scope => (await scope.run(SEED, [owned.id])).rows)).map(
          row => row.device_no,
        ),
      )
      for (const device of product.devices) {
        if (known.has(device.deviceNo)) continue
        await container.devices.service.create(ctx, {
          productId: owned.id,
          deviceNo: device.deviceNo,
          name: device.name,
          groupId: groupIds.get(device.group) ?? null,
          location: { lng: device.lng, lat: device.lat },
        })
      }
    }
    await seedFirmware(productIds)
    const seal = (purpose: string) => createCryptoBox(options.secretKey, purpose)
    // Before the modules: some of them charge customers.
    await seedCustomers()
    for (const module of FURTHER_MODULES) await module.seedDemo?.(database, tenantId, seal)
    const subscribed = new Set((await container.subscriptions.service.list(ctx, {})).items.map(({ name }) => name))
    for (const { products: kinds, ...subscription } of DEMO_SUBSCRIPTIONS) {
      if (subscribed.has(subscription.name)) continue
      const ids = kinds.flatMap(kind => productIds.get(kind) ?? [])
      await container.subscriptions.service.create(ctx, {
        ...subscription,
        filter: { ...subscription.filter, ...(ids.length > 0 ? { productIds: ids } : {}) },
      })
    }
    await seedDemoFences(ctx, database, DEMO_FENCES, productIds)
    await seedTriggers(productIds)
    const numbered = await database.withTenant(ctx, async scope => (await scope.run(NUMBERED)).rows)
    const deviceIds = new Map(numbered.map(row => [row.device_no, row.id]))
    await seedDemoTimedTasks(ctx, container.timedTasks, DEMO_TIMED_TASKS as DemoTimedTasks, deviceIds)
    await seedDemoPages(ctx, container.cloudPages.service, DEMO_PAGES as DemoPage[], deviceIds)
    await database.withSystemScope('seed', scope => seedFleetWeek(scope, tenantId, Date.now()))
  }

  /** Customers with some of the devices; whoever was removed or changed since stays so. */
  async function seedCustomers(): Promise<void> {
    const { service, packages, handovers } = container.endUsers
    if ((await packages.list(ctx)).items.length > 0) return
    const { id: packageId } = await packages.create(ctx, {
      ...DEMO_CUSTOMERS.package,
      rights: DEMO_CUSTOMERS.package.rights as EndUserRight[],
    })
    const free = (await container.devices.service.list(ctx, { limit: 100, sort: 'createdAt', userId: 'none' })).items
    const take = (count: number) => free.splice(0, count).map(device => device.id)
    const { below } = DEMO_CUSTOMERS
    for (const { devices, ...customer } of DEMO_CUSTOMERS.customers) {
      const { id } = await service.create(ctx, { ...customer, packageId, locale: 'zh' })
      const deviceIds = take(devices)
      if (deviceIds.length > 0) await handovers.assign(ctx, id, { deviceIds })
      if (below.under !== customer.username) continue
      const { username, name } = below
      const keeper = await service.create(ctx, {
        username,
        name,
        parentId: id,
        rights: below.rights as EndUserRight[],
        locale: 'zh',
      })
      const his = deviceIds.slice(0, below.devices)
      if (his.length > 0) await handovers.assign(ctx, keeper.id, { deviceIds: his })
    }
    const usernames = [...DEMO_CUSTOMERS.customers.map(({ username }) => username), below.username]
    await database.withSystemScope('seed', scope => letCustomersSignIn(scope, tenantId, usernames))
  }

  async function customer(): Promise<DemoCustomer | null> {
    const { username } = DEMO_CUSTOMERS.customers[0]!
    const { items } = await container.endUsers.service.list(ctx, { q: username, limit: 10 })
    const found = items.find(item => item.username === username)
    return found ? { id: found.id, username, name: found.name, rights: found.rights } : null
  }

  async function seedTriggers(productIds: ReadonlyMap<string, string>): Promise<void> {
    const known = new Set((await container.triggers.service.list(ctx, { limit: 100 })).items.map(({ name }) => name))
    const fences = await demoFenceIds(ctx, database)
    for (const { name, description, product, rule } of DEMO_TRIGGERS) {
      const productId = product === undefined ? undefined : productIds.get(product)
      if (known.has(name) || (product !== undefined && productId === undefined)) continue
      const condition = rule.condition?.fence
        ? { ...rule.condition, fence: fences.get(String(rule.condition.fence)) }
        : null
      await container.triggers.service.create(ctx, {
        name,
        description,
        scope: productId === undefined ? {} : { productIds: [productId] },
        ...rule,
        ...(condition ? { condition } : {}),
      })
    }
  }

  /** Format and link settings of a product that has none of its own yet; what somebody changed since stays. */
  async function seedLink(productId: string, { format, link }: DemoProduct): Promise<void> {
    const { products } = container
    if (format && isPlainJson((await products.service.get(ctx, productId)).format))
      await products.format.setFormat(ctx, productId, format)
    if (link && (await products.link.get(ctx, productId)).isDefault) await products.link.set(ctx, productId, link)
  }

  async function seedFirmware(productIds: ReadonlyMap<string, string>): Promise<void> {
    const { packages } = container.ota.services
    const known = (await packages.list(ctx, { limit: 100 })).items
    for (const wanted of DEMO_PACKAGES) {
      const { product, name, version, fromVersion, orderNo, notes, verified } = wanted
      const productId = productIds.get(product)!
      const module = wanted.module ?? 'default'
      const isThere = known.some(
        item =>
          item.productId === productId &&
          item.module === module &&
          item.version === version &&
          item.fromVersion === (fromVersion ?? null),
      )
      if (isThere) continue
      const made = await packages.upload(
        ctx,
        { productId, name, module, version, orderNo, notes, ...(fromVersion ? { fromVersion } : {}) },
        {
          fileName: `${product.replace('_', '-')}-${version}.bin`,
          contentType: 'application/octet-stream',
          body: Readable.from([demoImage(wanted)]),
        },
      )
      if (verified) await packages.conclude(ctx, made.id, { passed: true, note: verified })
    }
    await database.withTenant(ctx, scope => seedDemoCampaign(scope, productIds))
  }

  /** The devices as the fleet signs them in. Their secrets leave this process only towards the fleet. */
  async function fleetDevices() {
    const box = createCryptoBox(options.secretKey, 'device-secret')
    const { rows } = await database.withTenant(ctx, scope => scope.run(FLEET))
    return rows.flatMap(row => {
      const product = DEMO_PRODUCTS.find(p => p.name === row.product_name)
      const device = product?.devices.find(d => d.deviceNo === row.device_no)
      if (!product || !device) return []
      const firmware = demoFirmwareLife(product.kind, product.devices.indexOf(device), row.version)
      return [
        {
          kind: product.kind,
          productKey: row.product_key,
          deviceNo: row.device_no,
          deviceSecret: openDeviceSecret(box, row.id, row.secret_cipher),
          lng: device.lng,
          lat: device.lat,
          ...(device.traits ? { traits: device.traits } : {}),
          ...(firmware ? { firmware } : {}),
        },
      ]
    })
  }

  function again(ports: Ports): void {
    const attempt = () =>
      launch(ports).catch((error: Error) => {
        logger.error({ err: error }, 'the simulated devices could not be started; trying again')
        if (!stopping) again(ports)
      })
    setTimeout(() => inBackground('starting the simulated devices again', attempt()), pauseMs).unref()
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }

  async function launch(ports: Ports): Promise<void> {
    const devices = await fleetDevices()
    if (stopping || devices.length === 0) return
    const folder = join(options.dataDir, 'demo')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const [file, execArgv] = entry()
    const life = fork(file, [], {
      execArgv,
      serialization: 'advanced',
      env: {},
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    child = life
    state.devices = devices.length
    life.on('message', (message: FleetMessage) => {
      if (message.type === 'ready') pauseMs = FIRST_PAUSE_MS
      if (message.type === 'history') pastWritten(message)
      else if (message.type === 'log') logger[message.level](message.message)
      else state.connected = message.connected
    })
    life.on('error', error => logger.error({ err: error }, 'the simulated devices could not be started'))
    life.on('exit', (code, signal) => {
      child = null
      state.connected = 0
      if (stopping) return
      logger.warn({ code, signal }, 'the simulated devices ended; starting them again')
      again(ports)
    })
    const host = options.config.host === '0.0.0.0' || options.config.host === '::' ? '127.0.0.1' : options.config.host
    life.send({
      type: 'config',
      config: {
        mqtt: { host, port: ports.mqtt },
        ...(ports.tcp === null ? {} : { tcp: { host, port: ports.tcp } }),
        devices,
        stateFile: join(folder, 'fleet.json'),
        history: { days: HISTORY_DAYS, maxMessages: HISTORY_MESSAGES, watchPid: process.pid },
      },
    })
  }

  /** Follows the past that the devices write; once it is there, it is taken out of the counts of today. */
  function pastWritten({ done, total, perDevice }: Extract<FleetMessage, { type: 'history' }>): void {
    if (done < total) {
      // One that was begun before a restart stays in the counts: it is not known how much of it was counted since.
      if (done === 0) pastSince = Date.now()
      state.history = { done, total }
      return
    }
    state.history = null
    if (pastSince === null) return
    const since = pastSince
    pastSince = null
    const takeOut = () =>
      database.withSystemScope('seed', scope => takePastOut(scope, tenantId, { since, until: Date.now() }, perDevice))
    setTimeout(() => inBackground('taking the past out of the counts', takeOut()), COUNTED_AFTER_MS).unref()
  }

  return {
    async start({ mqttPort, tcpPort, fresh }) {
      // The sign-in page does not wait for seventy devices to be made.
      const content = (async () => {
        if (fresh || (await fleetDevices()).length === 0) await seed()
      })()
      seeded = content.catch(() => undefined)
      const ready = content.then(() => launch({ mqtt: mqttPort, tcp: tcpPort }))
      ready.catch((error: Error) => logger.error({ err: error }, 'the demo could not be set up'))
    },
    seeded: () => seeded,
    async stop() {
      stopping = true
      const life = child
      if (!life) return
      const gone = new Promise<void>(resolve => life.once('exit', () => resolve()))
      if (life.connected) life.send({ type: 'stop' })
      const force = setTimeout(() => life.kill('SIGKILL'), 3000)
      await gone
      clearTimeout(force)
    },
    customer,
    progress: () => state,
  }
}

/** The format that a product has from the start. */
function isPlainJson(format: { kind?: unknown }): boolean {
  return format.kind === 'json' && Object.keys(format).length === 1
}

/** The fleet's program: built beside this one, or its source in development. */
function entry(): [string, string[]] {
  const here = dirname(fileURLToPath(import.meta.url))
  const built = join(here, 'fleet.js')
  return existsSync(built)
    ? [built, FLEET_FLAGS]
    : [join(here, '../../../../tools/simulators/device-fleet/main.ts'), ['--import', 'tsx']]
}
