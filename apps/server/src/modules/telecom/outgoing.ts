import { mapDown } from '@thingwright/thing-model'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import {
  type ClaimedElsewhere,
  CommandModels,
  claimElsewhere,
  type ElsewhereState,
  isOpenElsewhere,
  moveElsewhere,
  returnElsewhere,
} from '../commands/index.ts'
import * as devices from './devices.repo.ts'
import * as keys from './keys.repo.ts'
import * as repo from './outgoing.repo.ts'
import { type PlatformCommandState, PlatformError, type TelecomPlatform } from './platform.port.ts'
import { masterContext, type Platforms } from './platforms.ts'
import * as products from './products.repo.ts'

/** The bytes that a product's format makes of a command; null: it has no format of its own. */
export type EncodeCommand = (
  ctx: Ctx,
  productId: string,
  deviceNo: string,
  command: { kind: 'property_set' | 'service'; identifier: string | null; params: Record<string, unknown> },
) => Promise<{ frames: string[] } | { reason: string; detail: string }>

export interface OutgoingDeps {
  database: Database
  platforms: Platforms
  encode: EncodeCommand
  now(): number
}

export interface Outgoing {
  /** Hands queued commands to platforms, and asks what became of those that platforms keep. @returns how many were due */
  due(): Promise<number>
  /** What became of a command, as its platform pushed it. @throws AppError telecom_callback.later */
  said(key: { id: string }, deviceId: string, platformNo: string, state: PlatformCommandState): Promise<void>
  /** The device is there. */
  awake(scope: SystemScope, deviceId: string): Promise<void>
}

const TAKEN = 20
const LEASE_MS = 60_000
/** How often a platform is asked about a command that it keeps, should its push not come. */
const ASK_MS = 60_000
/** A device that is away is tried again after so long, or when it comes. */
const AWAY_MS = 30_000
const RETRY_MS = [2_000, 10_000, 30_000, 60_000]
/** After its time the platform has so long to say what became of a command. */
const GRACE_MS = 300_000

export function createOutgoing(deps: OutgoingDeps): Outgoing {
  const { database, platforms, now } = deps
  const models = new CommandModels()
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('telecom', work)

  /** Changes the command, and tells those who look at it. */
  async function move(scope: SystemScope, row: { commandId: string }, to: ElsewhereState): Promise<void> {
    const commands = await moveElsewhere(scope, row.commandId, to)
    if (commands.length > 0) scope.tell('commands.changed', { commands })
    if (to.state !== 'delivered') await repo.end(scope, row.commandId)
  }

  async function apply(scope: SystemScope, row: repo.OutgoingRow, said: PlatformCommandState): Promise<void> {
    const { state, text, code, data } = said
    if (state === 'saved' || state === 'sent') return
    if (state === 'delivered' && !row.settles) return move(scope, row, { state: 'delivered' })
    const final = state === 'delivered' ? 'succeeded' : state
    await move(scope, row, { state: final, message: text, code, ...(data === undefined ? {} : { data }) })
  }

  async function claim(): Promise<number> {
    return system(async scope => {
      const found = await repo.queued(scope, new Date(now()), TAKEN)
      if (found.length === 0) return 0
      const keyOf = new Map(found.map(({ id, keyId }) => [id, keyId]))
      const claimed = await claimElsewhere(
        scope,
        found.map(({ id }) => id),
      )
      for (const command of claimed) await repo.begin(scope, command, keyOf.get(command.id)!, new Date(now()))
      if (claimed.length > 0)
        scope.tell('commands.changed', { commands: claimed.map(({ device, id }) => ({ device, id })) })
      return claimed.length
    })
  }

  async function work(row: repo.OutgoingRow): Promise<void> {
    const found = await system(async scope => {
      const [key, device] = [await keys.plain(scope, row.keyId), await devices.find(scope, row.deviceId)]
      const link =
        device?.platformProduct == null
          ? undefined
          : await products.ofPlatform(scope, row.keyId, device.platformProduct)
      return { key, device, link, subject: await devices.subject(scope, row.deviceId) }
    })
    const { key, device, link, subject } = found
    if (!(await system(scope => isOpenElsewhere(scope, row.commandId))))
      return system(scope => repo.end(scope, row.commandId))
    if (!key || !device?.platformDevice || !link || !subject)
      return system(scope => move(scope, row, { state: 'failed', code: 'not_registered' }))
    if (key.state === 'disabled')
      return system(scope => repo.later(scope, row.commandId, row.state, new Date(now() + ASK_MS)))
    const platform = platforms.of(key)
    const product = {
      platformProduct: device.platformProduct!,
      masterKey: link.masterCipher ? platforms.openText(masterContext(link.productId), link.masterCipher) : '',
    }
    const target = { platformDevice: device.platformDevice, deviceNo: device.deviceNo, imei: device.imei ?? '' }
    if (row.state === 'sending') await send(row, platform, product, target, subject)
    else await ask(row, platform, product, target)
  }

  async function send(
    row: repo.OutgoingRow,
    platform: TelecomPlatform,
    product: Parameters<TelecomPlatform['send']>[0],
    target: Parameters<TelecomPlatform['send']>[1],
    subject: devices.Subject,
  ): Promise<void> {
    const command = await system(scope => repo.command(scope, row.commandId))
    if (!command) return system(scope => repo.end(scope, row.commandId))
    const prepared = await prepare(row, command, subject)
    if ('reason' in prepared)
      return system(scope => move(scope, row, { state: 'failed', code: prepared.reason, message: prepared.detail }))
    const { params, bytes } = prepared
    const ttlSeconds = Math.max(1, Math.round((row.expiresAt.getTime() - now()) / 1_000))
    const { kind, identifier } = command
    const settles = command.confirm === 'none' || (command.confirm === 'auto' && bytes !== null && !command.expects)
    try {
      const answer = await platform.send(product, target, {
        kind: kind as 'property_set' | 'service' | 'raw',
        identifier,
        params,
        bytes,
        ttlSeconds,
      })
      await system(async scope => {
        if ('ended' in answer) await apply(scope, row, answer.ended)
        else await repo.keep(scope, row.commandId, answer.platformNo, settles, new Date(now() + ASK_MS))
        await keys.note(scope, row.keyId, null)
      })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      await failed(row, command, error)
    }
  }

  /** What did not leave waits; what may have left is sent again only where twice is as good as once. */
  async function failed(row: repo.OutgoingRow, command: Pick<ClaimedElsewhere, 'kind'>, error: PlatformError) {
    const said = { code: error.code || error.fault, message: error.said }
    await system(async scope => {
      if (error.fault === 'credentials')
        await keys.note(scope, row.keyId, { kind: error.fault, code: error.code, text: error.text })
      if (error.fault === 'away') {
        const commands = await returnElsewhere(scope, row.commandId)
        if (commands.length > 0) scope.tell('commands.changed', { commands })
        return repo.later(scope, row.commandId, 'waiting', new Date(now() + AWAY_MS))
      }
      if (!error.passing) return move(scope, row, { state: 'failed', ...said })
      const isRepeatable = error.fault === 'frequency' || command.kind === 'property_set'
      const wait = RETRY_MS[row.tries]
      if (!isRepeatable || wait === undefined || now() + wait > row.expiresAt.getTime())
        return move(scope, row, { state: 'timed_out', ...said })
      await repo.later(scope, row.commandId, 'sending', new Date(now() + wait))
    })
  }

  async function ask(
    row: repo.OutgoingRow,
    platform: TelecomPlatform,
    product: Parameters<TelecomPlatform['stateOf']>[0],
    target: Parameters<TelecomPlatform['stateOf']>[1],
  ): Promise<void> {
    let said: PlatformCommandState | null = null
    try {
      said = await platform.stateOf(product, target, row.platformNo ?? '')
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
    }
    await system(async scope => {
      if (said) await apply(scope, row, said)
      if (now() > row.expiresAt.getTime() + GRACE_MS) await move(scope, row, { state: 'expired', code: 'expired' })
      else await repo.later(scope, row.commandId, 'kept', new Date(now() + ASK_MS))
    })
  }

  /** Values as the device expects them, and the bytes of its product's format. */
  async function prepare(
    row: repo.OutgoingRow,
    { kind, identifier, params }: Pick<ClaimedElsewhere, 'kind' | 'identifier' | 'params'>,
    subject: devices.Subject,
  ): Promise<{ params: Record<string, unknown>; bytes: Buffer | null } | { reason: string; detail: string }> {
    if (kind === 'raw')
      return { params: {}, bytes: Buffer.from(typeof params.hex === 'string' ? params.hex : '', 'hex') }
    const model = await database.withTenant({ tenantId: row.tenantId }, scope =>
      models.ofDevice(scope, subject.productId, { id: row.deviceId }),
    )
    const mapped = kind === 'property_set' ? mapDown(model, params) : params
    const isPlain = subject.format.kind === 'json' && Object.keys(subject.format).length === 1
    if (isPlain) return { params: mapped, bytes: null }
    const encoded = await deps.encode(systemContext(row.tenantId, 'telecom'), subject.productId, subject.deviceNo, {
      kind: kind as 'property_set' | 'service',
      identifier,
      params: mapped,
    })
    if ('reason' in encoded) return encoded
    return { params: mapped, bytes: Buffer.from(encoded.frames.join(''), 'hex') }
  }

  return {
    async due() {
      const claimed = await claim()
      const rows = await system(scope => repo.take(scope, new Date(now()), TAKEN, new Date(now() + LEASE_MS)))
      await Promise.all(rows.map(row => work(row)))
      return claimed + rows.length
    },

    said: (key, deviceId, platformNo, state) =>
      system(async scope => {
        const row = await repo.ofPlatform(scope, key.id, platformNo, deviceId)
        if (row) return apply(scope, row, state)
        // It was quicker than the answer that gave us its number.
        if (await repo.isSending(scope, deviceId)) throw new AppError('telecom_callback.later')
      }),

    awake: (scope, deviceId) => repo.soon(scope, deviceId, new Date(now())),
  }
}
