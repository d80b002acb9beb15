import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import { LORA_KEY_NAMES } from '@thingwright/contracts/lora.words'
import type { LoraFrame } from '@thingwright/contracts/lora-gateways.contract'
import type {
  LoraLinkView,
  LoraProductView,
  LoraSessionView,
  loraLinksContract,
} from '@thingwright/contracts/lora-links.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { ConnectionRow } from './connections.repo.ts'
import { enabled } from './connections.service.ts'
import { type DeviceKeys, missingKey, openKeys, remoteKeys, sealKeys } from './device-keys.ts'
import type { LoraDevicesService } from './devices.service.ts'
import { asAppError, wrong } from './errors.ts'
import * as repo from './links.repo.ts'
import { type Lns, LnsError } from './lns.port.ts'
import * as profiles from './profiles.repo.ts'
import { noted, type SyncDeps } from './sync.ts'

type Contract = typeof loraLinksContract
export type DeviceSettings = BodyOf<Contract['setDevice']>
export type DeviceState = Pick<LoraLinkView, 'state' | 'fault'>

/** Where the devices of a product are made at ChirpStack, and each of them there. */
export interface LinksService {
  applications(ctx: Ctx, connectionId: string): Promise<ResponseOf<Contract['applications']>>
  product(ctx: Ctx, productId: string): Promise<{ link: LoraProductView | null }>
  /** @throws AppError lora_link.not_lorawan, profile_elsewhere, application_unknown, version.conflict, lora.unavailable … */
  setProduct(
    ctx: Ctx,
    productId: string,
    input: BodyOf<Contract['setProduct']>,
  ): Promise<{ link: LoraProductView | null }>
  clearProduct(ctx: Ctx, productId: string): Promise<{ ok: boolean }>
  device(ctx: Ctx, deviceId: string): Promise<LoraLinkView>
  /** Whether ChirpStack has the device, and what it said against it. */
  deviceState(ctx: Ctx, deviceId: string): Promise<DeviceState>
  /**
   * Seals what is given and makes the device at ChirpStack. What that says against it is a state of the device.
   * @throws AppError lora_link.not_lorawan, not_dev_eui, missing, key_missing, device.recycled, version.conflict
   */
  putDevice(ctx: Ctx, deviceId: string, input: DeviceSettings): Promise<DeviceState>
  /** As `putDevice`, and returns all there is to see of the device. */
  setDevice(ctx: Ctx, deviceId: string, input: DeviceSettings): Promise<LoraLinkView>
  removeDevice(ctx: Ctx, deviceId: string): Promise<LoraLinkView>
  /** @throws AppError lora_link.not_registered, lora.unavailable … */
  /** Frames or events of a device, as ChirpStack shows them now. */
  traffic(ctx: Ctx, deviceId: string, kind?: 'frames' | 'events'): Promise<{ items: LoraFrame[] }>
  session(ctx: Ctx, deviceId: string): Promise<LoraSessionView>
  flushQueue(ctx: Ctx, deviceId: string): Promise<LoraSessionView>
}

export interface LinksDeps extends SyncDeps {
  /** Seals the keys of devices. */
  box: CryptoBox
  devices: Pick<LoraDevicesService, 'list'>
}

const NO_EUI = '0000000000000000'
export const DEV_EUI = /^[0-9a-f]{16}$/

export function createLinksService(deps: LinksDeps): LinksService {
  const { database, box, now } = deps

  async function productOf(scope: TenantScope, productId: string): Promise<{ name: string; linkType: string }> {
    const product = await repo.product(scope, productId)
    if (!product) throw new AppError('product.not_found')
    return product
  }

  async function subjectOf(scope: TenantScope, deviceId: string): Promise<repo.Subject> {
    const subject = await repo.subject(scope, deviceId)
    if (!subject) throw new AppError('device.not_found')
    return subject
  }

  const asking = async <T>(connection: ConnectionRow, work: (lns: Lns) => Promise<T>): Promise<T> => {
    try {
      return await noted(deps, connection, work)
    } catch (error) {
      throw asAppError(error, 'lora.answer')
    }
  }

  async function productViewOf(scope: TenantScope, productId: string): Promise<LoraProductView | null> {
    const link = await repo.findProduct(scope, productId)
    if (!link) return null
    const { productId: _, profileRemoteId: __, ...view } = link
    return { ...view, devices: await repo.productDevices(scope, productId) }
  }

  async function viewOf(ctx: Ctx, deviceId: string): Promise<LoraLinkView> {
    const { subject, product, row } = await database.withTenant(ctx, async scope => {
      const subject = await subjectOf(scope, deviceId)
      return {
        subject,
        product: await productViewOf(scope, subject.productId),
        row: await repo.keys(scope, deviceId),
      }
    })
    const heard = await deps.devices.list(ctx, { deviceId, limit: 1 })
    const devEui = subject.deviceNo.toLowerCase()
    const keys = row ? openKeys(box, deviceId, row.cipher) : {}
    return {
      devEui: row?.devEui ?? devEui,
      devEuiValid: DEV_EUI.test(devEui),
      product,
      joinEui: row?.joinEui ?? NO_EUI,
      activation: row?.activation ?? 'otaa',
      keys: LORA_KEY_NAMES.filter(name => keys[name]),
      skipFcntCheck: row?.skipFcntCheck ?? false,
      disabled: row?.disabled ?? false,
      variables: row?.variables ?? {},
      tags: row?.tags ?? {},
      state: row?.state ?? 'none',
      fault: row?.fault ?? null,
      connectionName: row?.connectionName ?? null,
      registeredAt: row?.registeredAt?.toISOString() ?? null,
      radio: heard.items[0] ?? null,
      version: row?.version ?? 1,
    }
  }

  /** Keeps what is given of a device; nothing is asked of ChirpStack yet. */
  async function keep(ctx: Ctx, deviceId: string, input: DeviceSettings) {
    return database.withTenant(ctx, async scope => {
      const subject = await subjectOf(scope, deviceId)
      const devEui = subject.deviceNo.toLowerCase()
      if (subject.linkType !== 'lorawan') throw new AppError('lora_link.not_lorawan')
      if (subject.lifecycle === 'recycled') throw new AppError('device.recycled')
      if (!DEV_EUI.test(devEui)) throw new AppError('lora_link.not_dev_eui', { params: { deviceNo: subject.deviceNo } })
      const link = await repo.findProduct(scope, subject.productId)
      if (!link?.profileRemoteId || !link.profileId) throw new AppError('lora_link.missing')
      const before = await repo.keys(scope, deviceId)
      const given = Object.fromEntries(
        LORA_KEY_NAMES.flatMap(name => (input[name] === undefined ? [] : [[name, input[name].toLowerCase()]])),
      ) as DeviceKeys
      const keys: DeviceKeys = { ...(before ? openKeys(box, deviceId, before.cipher) : {}), ...given }
      const activation = input.activation ?? before?.activation ?? 'otaa'
      const missing = missingKey(keys, activation, link.macVersion)
      if (missing) wrong(missing, 'lora_link.key_missing', { key: KEY_TITLES[missing] })
      const values = {
        devEui,
        connectionId: link.connectionId,
        applicationId: link.applicationId,
        profileId: link.profileId,
        joinEui: (input.joinEui ?? before?.joinEui ?? NO_EUI).toLowerCase(),
        activation,
        cipher: sealKeys(box, deviceId, keys),
        skipFcntCheck: input.skipFcntCheck ?? before?.skipFcntCheck ?? false,
        disabled: input.disabled ?? before?.disabled ?? false,
        variables: input.variables ?? before?.variables ?? {},
        tags: input.tags ?? before?.tags ?? {},
      }
      const stored = {
        ...values,
        variables: JSON.stringify(values.variables),
        tags: JSON.stringify(values.tags),
        state: 'pending' as const,
        fault: null,
      }
      const done = before
        ? await repo.updateKeys(scope, deviceId, input.version ?? before.version, stored)
        : await repo.insertKeys(scope, { deviceId, tenantId: scope.tenantId, ...stored })
      if (!done)
        throw new AppError('version.conflict', {
          params: { current: before ? { ...shown(before), version: before.version } : {} },
        })
      await recordAudit(scope, ctx, {
        action: 'lora_device.update',
        objectType: 'lora_device',
        objectId: deviceId,
        objectName: subject.name,
        before: before ? shown(before) : null,
        after: { ...shown(values), ...(Object.keys(given).length > 0 ? { credentials: 'changed' } : {}) },
      })
      const connection = await enabled(scope, link.connectionId)
      return { subject, link, values, keys, connection }
    })
  }

  /** Makes what was kept at ChirpStack, and notes what that said. */
  async function make(
    ctx: Ctx,
    { subject, link, values, keys, connection }: Awaited<ReturnType<typeof keep>>,
  ): Promise<DeviceState> {
    const { devEui, activation } = values
    const note = async (state: 'registered' | 'failed', fault: string | null) =>
      database.withTenant(ctx, async scope => {
        await repo.noteKeys(scope, subject.id, state, fault, state === 'registered' ? new Date(now()) : null)
        if (state === 'registered')
          await repo.knownThere(scope, {
            connectionId: connection.id,
            devEui,
            deviceId: subject.id,
            name: subject.name,
            applicationId: values.applicationId,
            profile: link.profileRemoteId!,
          })
      })
    try {
      await noted(deps, connection, lns =>
        lns.putDevice({
          devEui,
          name: subject.name,
          applicationId: values.applicationId,
          profileId: link.profileRemoteId!,
          joinEui: values.joinEui,
          skipFcntCheck: values.skipFcntCheck,
          disabled: values.disabled,
          variables: values.variables,
          tags: values.tags,
          ...remoteKeys(keys, activation, link.macVersion),
        }),
      )
      await note('registered', null)
      return { state: 'registered', fault: null }
    } catch (error) {
      if (!(error instanceof LnsError)) throw error
      const fault = [error.code, error.text].filter(Boolean).join(' ')
      await note('failed', fault)
      return { state: 'failed', fault }
    }
  }

  /** The device at ChirpStack, where it was made. @throws AppError lora_link.not_registered */
  async function registered(ctx: Ctx, deviceId: string) {
    return database.withTenant(ctx, async scope => {
      const subject = await subjectOf(scope, deviceId)
      const row = await repo.keys(scope, deviceId)
      if (!row?.connectionId || row.registeredAt === null) throw new AppError('lora_link.not_registered')
      return { subject, row, connection: await enabled(scope, row.connectionId) }
    })
  }

  return {
    async applications(ctx, connectionId) {
      const connection = await database.withTenant(ctx, scope => enabled(scope, connectionId))
      return { items: await asking(connection, lns => lns.applications()) }
    },

    product: (ctx, productId) =>
      database.withTenant(ctx, async scope => {
        await productOf(scope, productId)
        return { link: await productViewOf(scope, productId) }
      }),

    async setProduct(ctx, productId, { connectionId, applicationId, profileId, version }) {
      const { connection, profile } = await database.withTenant(ctx, async scope => {
        if ((await productOf(scope, productId)).linkType !== 'lorawan') throw new AppError('lora_link.not_lorawan')
        return { connection: await enabled(scope, connectionId), profile: await profiles.find(scope, profileId) }
      })
      if (!profile) throw new AppError('lora_profile.not_found')
      if (profile.connectionId !== connectionId) wrong('profileId', 'lora_link.profile_elsewhere')
      const application = (await asking(connection, lns => lns.applications())).find(({ id }) => id === applicationId)
      if (!application) wrong('applicationId', 'lora_link.application_unknown')
      return database.withTenant(ctx, async scope => {
        const product = await productOf(scope, productId)
        const before = await repo.findProduct(scope, productId)
        const values = { connectionId, applicationId, applicationName: application.name, profileId }
        const done = await repo.putProduct(scope, productId, values, version ?? before?.version ?? 1)
        if (!done)
          throw new AppError('version.conflict', { params: { current: await productViewOf(scope, productId) } })
        const after = await repo.findProduct(scope, productId)
        await recordAudit(scope, ctx, {
          action: 'lora_product.update',
          objectType: 'lora_product',
          objectId: productId,
          objectName: product.name,
          before: before ? shownProduct(before) : null,
          after: shownProduct(after!),
        })
        return { link: await productViewOf(scope, productId) }
      })
    },

    clearProduct: (ctx, productId) =>
      database.withTenant(ctx, async scope => {
        const product = await productOf(scope, productId)
        const before = await repo.findProduct(scope, productId)
        if (!before) throw new AppError('lora_link.missing')
        await repo.clearProduct(scope, productId)
        await recordAudit(scope, ctx, {
          action: 'lora_product.remove',
          objectType: 'lora_product',
          objectId: productId,
          objectName: product.name,
          before: shownProduct(before),
        })
        return { ok: true }
      }),

    device: viewOf,

    deviceState: (ctx, deviceId) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.keys(scope, deviceId)
        return { state: row?.state ?? 'none', fault: row?.fault ?? null }
      }),

    putDevice: async (ctx, deviceId, input) => make(ctx, await keep(ctx, deviceId, input)),

    async setDevice(ctx, deviceId, input) {
      await make(ctx, await keep(ctx, deviceId, input))
      return viewOf(ctx, deviceId)
    },

    async removeDevice(ctx, deviceId) {
      const { subject, row } = await database.withTenant(ctx, async scope => {
        const subject = await subjectOf(scope, deviceId)
        const row = await repo.keys(scope, deviceId)
        if (!row) throw new AppError('lora_link.not_registered')
        return { subject, row }
      })
      const connectionId = row.registeredAt === null ? null : row.connectionId
      if (connectionId !== null) {
        const connection = await database.withTenant(ctx, scope => enabled(scope, connectionId))
        try {
          await noted(deps, connection, lns => lns.removeDevice(row.devEui))
        } catch (error) {
          // Gone already is what was wanted.
          if (!(error instanceof LnsError) || error.fault !== 'gone') throw asAppError(error, 'lora.answer')
        }
      }
      await database.withTenant(ctx, async scope => {
        await repo.forgetKeys(scope, deviceId)
        if (connectionId !== null) await repo.goneThere(scope, connectionId, row.devEui)
        await recordAudit(scope, ctx, {
          action: 'lora_device.remove',
          objectType: 'lora_device',
          objectId: deviceId,
          objectName: subject.name,
          before: shown(row),
        })
      })
      return viewOf(ctx, deviceId)
    },

    async session(ctx, deviceId) {
      const { row, connection } = await registered(ctx, deviceId)
      return asking(connection, lns => lns.session(row.devEui))
    },

    async traffic(ctx, deviceId, kind = 'frames') {
      const { row, connection } = await registered(ctx, deviceId)
      return { items: await asking(connection, lns => lns.traffic({ of: kind, devEui: row.devEui })) }
    },

    async flushQueue(ctx, deviceId) {
      const { subject, row, connection } = await registered(ctx, deviceId)
      const before = await asking(connection, async lns => {
        const { queue } = await lns.session(row.devEui)
        await lns.flushQueue(row.devEui)
        return queue.length
      })
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action: 'lora_device.flush_queue',
          objectType: 'lora_device',
          objectId: deviceId,
          objectName: subject.name,
          before: { queue: before },
          after: { queue: 0 },
        }),
      )
      return asking(connection, lns => lns.session(row.devEui))
    },
  }
}

/** As the documents of LoRaWAN spell them. */
const KEY_TITLES = {
  appKey: 'AppKey',
  nwkKey: 'NwkKey',
  genAppKey: 'GenAppKey',
  devAddr: 'DevAddr',
  appSKey: 'AppSKey',
  nwkSKey: 'NwkSKey',
} as const

const shown = ({
  devEui,
  joinEui,
  activation,
  skipFcntCheck,
  disabled,
  variables,
  tags,
}: Pick<repo.KeysRow, 'devEui' | 'joinEui' | 'activation' | 'skipFcntCheck' | 'disabled' | 'variables' | 'tags'>) => ({
  devEui,
  joinEui,
  activation,
  skipFcntCheck,
  disabled,
  variables,
  tags,
})

const shownProduct = ({ connectionName, applicationName, profileName }: repo.ProductLinkRow) => ({
  connection: connectionName,
  application: applicationName,
  profile: profileName,
})
