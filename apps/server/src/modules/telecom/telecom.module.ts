import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { DevicesModule } from '../devices/index.ts'
import type { ProductsModule } from '../products/index.ts'
import { type CallbacksService, createCallbacksService } from './callbacks.service.ts'
import * as keysRepo from './keys.repo.ts'
import { createKeysService, type KeysService } from './keys.service.ts'
import { createLinksService, type LinksService } from './links.service.ts'
import { linksTransfer } from './links.transfer.ts'
import * as mirrorRepo from './mirror.repo.ts'
import { mirrorDue } from './mirror.ts'
import * as outgoingRepo from './outgoing.repo.ts'
import { createOutgoing, type EncodeCommand } from './outgoing.ts'
import type { PlatformFactory } from './platform.port.ts'
import type { PlatformLink } from './platform-link.port.ts'
import { createPlatforms } from './platforms.ts'
import * as refusals from './refused.repo.ts'
import { createTelecomRunner, type TelecomRunner } from './runner.ts'
import * as seen from './seen.repo.ts'
import { connectTelecomDemo } from './telecom.demo.ts'
import { telecomRoutes } from './telecom.routes.ts'
import { TELECOM_TOOLS } from './telecom.tools.ts'

export interface TelecomNeeds {
  database: Database
  telecomPlatforms: PlatformFactory
  platformLink: PlatformLink
  products: Pick<ProductsModule, 'service'> & { format: { tryFormat: TryFormat } }
  devices: Pick<DevicesModule, 'service'>
  outboundAllow: readonly string[]
  addresses(): { httpUrl: string }
  seal(purpose: string): CryptoBox
  logger: Logger
  now(): number
}

export interface TelecomModule extends ModuleParts {
  keys: KeysService
  links: LinksService
  callbacks: CallbacksService
  /** Started in processes with the worker role. */
  runner: TelecomRunner
  routes: BoundRoute[]
}

const DAY_MS = 86_400_000
/** Platforms push again for hours, never for days. */
const KEEP_MESSAGES_DAYS = 3
const KEEP_REFUSALS_DAYS = 90
const SEAL = 'telecom-keys'

export function createTelecomModule(needs: TelecomNeeds): TelecomModule {
  const { database, now } = needs
  const platforms = createPlatforms(needs.telecomPlatforms, needs.seal(SEAL))
  const deps = { ...needs, platforms }
  const keys = createKeysService({ ...deps, baseUrl: () => needs.addresses().httpUrl })
  const outgoing = createOutgoing({ ...deps, encode: encoder(needs.products.format) })
  const runner = createTelecomRunner([() => mirrorDue(deps), () => outgoing.due()])
  const links = createLinksService({ database, platforms, onQueued: () => runner.wake() })
  const callbacks = createCallbacksService({
    ...deps,
    link: needs.platformLink,
    commandSaid: outgoing.said,
    awake: outgoing.awake,
  })
  return {
    keys,
    links,
    callbacks,
    runner,
    routes: telecomRoutes(database, keys, links, callbacks),
    transferSources: [linksTransfer({ database, platforms, onQueued: () => runner.wake() })],
    connectionNames: [
      {
        system: 'telecom',
        list: async scope =>
          (await keysRepo.names(scope))
            .filter(({ simulated }) => !simulated)
            .map(({ name, baseUrl: address }) => ({ name, address })),
      },
    ],
    search: [found(keys)],
    connectDemo: (ctx, demo) => connectTelecomDemo({ ...needs, keys, links }, ctx, demo),
    runs: [{ name: 'telecom platforms', phase: 'work', start: () => runner.start(), stop: () => runner.stop() }],
    sweeps: [
      {
        name: 'what is kept of telecom platforms',
        run: () =>
          database.withSystemScope('telecom', async scope => {
            await seen.forget(scope, new Date(now() - KEEP_MESSAGES_DAYS * DAY_MS))
            await refusals.forget(scope, new Date(now() - KEEP_REFUSALS_DAYS * DAY_MS))
            await outgoingRepo.forget(scope, new Date(now() - DAY_MS))
            await mirrorRepo.orphans(scope, new Date(now()))
          }),
      },
    ],
    gauges: async () => ({ telecom_callbacks_strange: callbacks.strangers() }),
  }
}

type TryFormat = (
  ctx: Ctx,
  productId: string,
  input: {
    direction: 'down'
    command: { kind: 'property_set' | 'service'; identifier?: string; params: Record<string, unknown> }
    deviceNo: string
  },
) => Promise<{ ok: boolean; reason?: string | null; detail?: unknown; frames: readonly { hex: string }[] }>

/** Bytes of a command, by the format that the gateway uses. */
const encoder =
  (format: { tryFormat: TryFormat }): EncodeCommand =>
  async (ctx, productId, deviceNo, { kind, identifier, params }) => {
    const command = { kind, params, ...(identifier === null ? {} : { identifier }) }
    const tried = await format.tryFormat(ctx, productId, { direction: 'down', command, deviceNo })
    if (!tried.ok) {
      const detail = typeof tried.detail === 'string' ? tried.detail : JSON.stringify(tried.detail ?? '')
      return { reason: tried.reason ?? 'not_encodable', detail }
    }
    return { frames: tried.frames.map(({ hex }) => hex) }
  }

const found = (keys: KeysService): SearchSource => ({
  kind: 'telecom_key',
  permission: 'telecom-key:read',
  find: async (ctx, q, limit) =>
    (await keys.list(ctx, { q, limit })).items.map(key => ({
      id: key.id,
      title: key.name,
      subtitle: key.account,
      link: `/manage/tel?key=${key.id}`,
    })),
})

export const telecomModule = defineModule({ name: 'telecom', tools: TELECOM_TOOLS, create: createTelecomModule })
