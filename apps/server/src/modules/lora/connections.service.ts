import { randomBytes } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { LoraConnectionView, loraConnectionsContract } from '@thingwright/contracts/lora.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { checkServiceUrl, checkAddress as checkTyped } from '../../lib/outbound/outbound-address.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'
import type { ConnectionSecrets } from './clients.ts'
import * as repo from './connections.repo.ts'
import { asAppError, wrong } from './errors.ts'
import { LnsError } from './lns.port.ts'
import { faultOf, type SyncDeps, syncConnection } from './sync.ts'

type Contract = typeof loraConnectionsContract

export interface ConnectionsService {
  list(ctx: Ctx): Promise<{ items: LoraConnectionView[] }>
  /** @throws AppError lora_connection.name_taken, limit, address_blocked, address_path, password_missing */
  create(ctx: Ctx, input: BodyOf<Contract['create']>, simulated?: boolean): Promise<LoraConnectionView>
  /** @throws AppError lora_connection.not_found, version.conflict, and those of create */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<LoraConnectionView>
  /** What ChirpStack says stands in the answer: a wrong key is a state of the connection, not an error of the request. */
  test(ctx: Ctx, id: string): Promise<LoraConnectionView>
  /** @throws AppError lora.credentials, lora.unavailable, lora.answer with ChirpStack's words */
  sync(ctx: Ctx, id: string): Promise<LoraConnectionView>
  /** A new secret for the server's HTTP integration, shown once; the one before no longer holds. */
  rotateCallback(ctx: Ctx, id: string): Promise<ResponseOf<Contract['rotateCallback']>>
  /** The secret that is there, else a new one: for the demo, whose simulated server is told it at every start. */
  callback(ctx: Ctx, id: string): Promise<ResponseOf<Contract['rotateCallback']>>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export interface ConnectionsDeps extends SyncDeps {
  outboundAllow: readonly string[]
}

const MAX_CONNECTIONS = 20
const MQTT_PORT = 1883
const MQTTS_PORT = 8883

type GivenBroker = NonNullable<BodyOf<Contract['create']>['mqtt']>

function brokerOf({ host, tls = true, port = tls ? MQTTS_PORT : MQTT_PORT, username = '', prefix = '' }: GivenBroker) {
  return { host: host.trim(), port, tls, username: username.trim(), prefix: prefix.trim() }
}

export function createConnectionsService(deps: ConnectionsDeps): ConnectionsService {
  const { database, clients, outboundAllow } = deps

  async function checkName(scope: TenantScope, id: string, name: string): Promise<void> {
    const taken = await repo.idNamed(scope, name)
    if (taken !== null && taken !== id) wrong('name', 'lora_connection.name_taken', { name })
  }

  /** gRPC knows no paths: one that was typed would be left out without a word. */
  function checkAddress(text: string): void {
    const url = URL.canParse(text) ? new URL(text) : null
    if (url && !/^https?:$/.test(url.protocol)) wrong('url', 'lora_connection.address_path')
    if (url && (url.pathname !== '/' || url.search || url.hash || url.username || url.password))
      wrong('url', 'lora_connection.address_path')
    try {
      checkServiceUrl(outboundAllow, text)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      wrong('url', 'lora_connection.address_blocked', { reason: error.message })
    }
  }

  const checkPerson = (email: string, password: string) => {
    if (email !== '' && password === '') wrong('password', 'lora_connection.password_missing')
  }

  const checkBroker = (broker: repo.Broker) =>
    checkTyped(outboundAllow, { host: broker.host, port: broker.port, encrypted: broker.tls }, 'mqtt')

  const callbackOf = (id: string, secret: string) => ({
    path: `/callbacks/chirpstack/${id}`,
    header: 'Authorization',
    value: `Bearer ${secret}`,
  })

  async function rotateCallback(ctx: Ctx, id: string) {
    return database.withTenant(ctx, async scope => {
      const before = await known(scope, id)
      const callback = randomBytes(24).toString('base64url')
      const cipher = clients.seal(id, { ...clients.secretsOf(before), callback })
      await repo.update(scope, id, before.version, { cipher })
      await recordAudit(scope, ctx, {
        action: 'lora_connection.rotate_secret',
        objectType: 'lora_connection',
        objectId: id,
        objectName: before.name,
      })
      return callbackOf(id, callback)
    })
  }

  const shown = (row: repo.ConnectionRow) => ({
    name: row.name,
    url: row.url,
    remoteTenantId: row.remoteTenantId,
    email: row.email,
    regions: row.regions,
    mqtt: row.mqtt,
    disabled: row.state === 'disabled',
  })

  return {
    list: ctx => database.withTenant(ctx, async scope => ({ items: (await repo.list(scope)).map(toView) })),

    async create(ctx, { apiKey, password = '', email = '', regions = [], mqtt, ...input }, simulated = false) {
      checkPerson(email, password)
      const broker = mqtt ? brokerOf(mqtt) : null
      if (!simulated) {
        checkAddress(input.url)
        if (broker) checkBroker(broker)
      }
      return database.withTenant(ctx, async scope => {
        await checkName(scope, '', input.name)
        if ((await repo.list(scope)).length >= MAX_CONNECTIONS)
          throw new AppError('lora_connection.limit', { params: { limit: MAX_CONNECTIONS } })
        const id = newId(ctx.now)
        await repo.insert(scope, {
          ...input,
          id,
          tenantId: scope.tenantId,
          url: new URL(input.url).origin,
          email,
          regions,
          cipher: clients.seal(id, {
            apiKey: apiKey.trim(),
            password,
            ...(mqtt?.password ? { mqttPassword: mqtt.password } : {}),
          }),
          simulated,
          ...(broker ? { mqtt: broker, mqttState: 'waiting' } : {}),
        })
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'lora_connection.create',
          objectType: 'lora_connection',
          objectId: id,
          objectName: row.name,
          after: shown(row),
        })
        return toView(row)
      })
    },

    update: (ctx, id, { version, apiKey, password, disabled, mqtt, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        if (input.name !== undefined) await checkName(scope, id, input.name)
        const moved = input.url !== undefined && new URL(input.url).origin !== before.url
        if (moved) checkAddress(input.url!)
        const old = clients.secretsOf(before)
        const broker = mqtt ? brokerOf(mqtt) : null
        const sameBroker = broker?.host === before.mqtt?.host && broker?.port === before.mqtt?.port
        if (broker && !(before.simulated && sameBroker)) checkBroker(broker)
        const secrets: ConnectionSecrets = {
          ...old,
          apiKey: apiKey?.trim() ?? old.apiKey,
          password: password ?? old.password,
        }
        // A password goes to the broker that it was given for, and to no other.
        if (mqtt !== undefined && !(mqtt && mqtt.password === undefined && sameBroker)) {
          delete secrets.mqttPassword
          if (mqtt?.password) secrets.mqttPassword = mqtt.password
        }
        checkPerson(input.email ?? before.email, secrets.password)
        const newBrokerSecret = secrets.mqttPassword !== old.mqttPassword
        const newSecrets = apiKey !== undefined || password !== undefined
        const newAccess =
          newSecrets ||
          moved ||
          (input.remoteTenantId !== undefined && input.remoteTenantId !== before.remoteTenantId) ||
          (input.email !== undefined && input.email !== before.email)
        const state = disabled === true ? 'disabled' : disabled === false || newAccess ? 'untested' : undefined
        const changed = await repo.update(scope, id, version, {
          ...input,
          ...(input.url === undefined ? {} : { url: new URL(input.url).origin }),
          ...(newSecrets || newBrokerSecret ? { cipher: clients.seal(id, secrets) } : {}),
          ...(mqtt === undefined ? {} : { mqtt: broker, mqttState: broker ? 'waiting' : 'off' }),
          ...(state ? { state } : {}),
        })
        if (!changed) throw new AppError('version.conflict', { params: { current: toView(before) } })
        clients.forget(id)
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'lora_connection.update',
          objectType: 'lora_connection',
          objectId: id,
          objectName: row.name,
          before: shown(before),
          after: { ...shown(row), ...(newSecrets || newBrokerSecret ? { credentials: 'changed' } : {}) },
        })
        return toView(row)
      }),

    async test(ctx, id) {
      const connection = await database.withTenant(ctx, scope => enabled(scope, id))
      let tenantName: string | null = null
      let fault: repo.ConnectionFault | null = null
      try {
        tenantName = (await clients.of(connection).test()).tenantName
      } catch (error) {
        if (!(error instanceof LnsError)) throw error
        fault = faultOf(error)
      }
      return database.withTenant(ctx, async scope => {
        await repo.note(scope, id, fault, { at: new Date(ctx.now), tenantName })
        await recordAudit(scope, ctx, {
          action: 'lora_connection.test',
          objectType: 'lora_connection',
          objectId: id,
          objectName: connection.name,
          after: { ok: fault === null, ...(fault ? { said: fault.text, answer: fault.code } : {}) },
          result: fault === null ? 'ok' : 'failed',
        })
        return toView(await known(scope, id))
      })
    },

    async sync(ctx, id) {
      const connection = await database.withTenant(ctx, scope => enabled(scope, id))
      try {
        await syncConnection(deps, connection)
      } catch (error) {
        throw asAppError(error, 'lora.answer')
      }
      return database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'lora_connection.sync',
          objectType: 'lora_connection',
          objectId: id,
          objectName: row.name,
          after: { profiles: row.profiles, gateways: row.gateways },
        })
        return toView(row)
      })
    },

    rotateCallback,

    async callback(ctx, id) {
      const row = await database.withTenant(ctx, scope => known(scope, id))
      const { callback } = clients.secretsOf(row)
      return callback ? callbackOf(id, callback) : rotateCallback(ctx, id)
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        await repo.remove(scope, id)
        clients.forget(id)
        await recordAudit(scope, ctx, {
          action: 'lora_connection.remove',
          objectType: 'lora_connection',
          objectId: id,
          objectName: before.name,
          before: shown(before),
        })
        return { ok: true }
      }),
  }
}

async function known(scope: TenantScope, id: string): Promise<repo.ListedConnection> {
  const row = await repo.find(scope, id)
  if (!row) throw new AppError('lora_connection.not_found')
  return row
}

/** The connection that objects are asked over. @throws AppError lora_connection.not_found, lora_connection.disabled */
export async function enabled(scope: TenantScope, id: string): Promise<repo.ListedConnection> {
  const row = await known(scope, id)
  if (row.state === 'disabled') throw new AppError('lora_connection.disabled')
  return row
}

function toView(row: repo.ListedConnection): LoraConnectionView {
  const {
    cipher: _,
    tenantId: __,
    testedAt,
    syncedAt,
    createdAt,
    mqtt,
    mqttState,
    mqttFault,
    mqttSince,
    ...shown
  } = row
  return {
    ...shown,
    mqtt: mqtt && {
      ...mqtt,
      // A disabled connection is not listened to, whatever was written last.
      state: row.state === 'disabled' ? 'off' : mqttState,
      fault: mqttFault,
      since: mqttSince?.toISOString() ?? null,
    },
    testedAt: testedAt?.toISOString() ?? null,
    syncedAt: syncedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}
