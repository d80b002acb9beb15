import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { DeviceWithSecret, devicesContract } from '@thingwright/contracts/devices.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newDeviceSecret } from '../../lib/crypto/secrets.ts'
import type { ProductsService } from '../products/index.ts'
import type { AuthorisedDevice } from './authorised.port.ts'
import { examplePayload } from './connect-snippets.ts'
import { type ConnectFacts, connectWays } from './connect-ways.ts'
import { type ChangeDeps, changeDevice, existingDevice } from './device-change.ts'
import { authoriseDevice, readAuthorisedDevice } from './devices.access.ts'
import { toSessionView, toView } from './devices.mapping.ts'
import * as repo from './devices.repo.ts'
import type { GatewayPort } from './gateway.port.ts'

type Contract = typeof devicesContract

/** Where devices reach this installation. */
export interface DeviceAddresses {
  host: string
  mqttPort: number
  mqttsPort: number | null
  tcpPort: number | null
  udpPort: number | null
  coapPort: number | null
  /** MQTT over WebSocket. */
  wsUrl: string
  /** Base of the devices' HTTP, without a path: `http://host:8080`. */
  httpUrl: string
}

/** Words that stand in code where what only the reader knows belongs. */
export const SECRET_PLACE = 'DEVICE_SECRET'
const NUMBER_PLACE = 'DEVICE_NO'

export interface DeviceShadow {
  reported: Record<string, unknown>
  desired: Record<string, unknown>
  version: number
}

export interface DeviceLinkDeps extends ChangeDeps {
  gateway: Pick<GatewayPort, 'forget' | 'kick' | 'session'>
  secrets: CryptoBox
  addresses(): DeviceAddresses
  products: Pick<ProductsService, 'get'>
  readShadow(device: AuthorisedDevice): Promise<DeviceShadow>
}

export interface DeviceLinkService {
  rotateSecret(ctx: Ctx, id: string, input: BodyOf<Contract['rotateSecret']>): Promise<DeviceWithSecret>
  session(ctx: Ctx, id: string): Promise<ResponseOf<Contract['session']>>
  kick(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  access(ctx: Ctx, id: string): Promise<ResponseOf<Contract['access']>>
  /** The same for a product: `DEVICE_NO` stands for the number. */
  productAccess(ctx: Ctx, id: string): Promise<ResponseOf<Contract['productAccess']>>
  shadow(ctx: Ctx, id: string): Promise<DeviceShadow>
}

const DEFAULT_OVERLAP_SECONDS = 86_400

/** How a device connects, and what it says it is. */
export function createDeviceLinkService(deps: DeviceLinkDeps): DeviceLinkService {
  const { database, gateway } = deps
  const authorise = (ctx: Ctx, id: string) => readAuthorisedDevice(database, ctx, id)

  /** Everything that a device of that number needs to connect, and the code for it. */
  function connect(
    productKey: string,
    deviceNo: string,
    { linkType, ownPort, format, model }: repo.ProductConnectFacts,
  ): ResponseOf<Contract['productAccess']> {
    const { httpUrl, ...addresses } = deps.addresses()
    const payload = examplePayload(model)
    const facts: ConnectFacts = {
      ...addresses,
      // A port of the product's own is the only one that takes its devices.
      ...(ownPort === null ? {} : linkType === 'udp' ? { udpPort: ownPort } : { tcpPort: ownPort }),
      httpUrl: `${httpUrl}/device/v1/${encodeURIComponent(productKey)}/${encodeURIComponent(deviceNo)}`,
      productKey,
      deviceNo,
      secret: SECRET_PLACE,
      payload,
      frame: format === 'json' ? payload : '#DTU,30.2,41',
    }
    const { host, mqttPort, mqttsPort, tcpPort, udpPort, coapPort, wsUrl } = facts
    return {
      ...{ host, mqttPort, mqttsPort, tcpPort, udpPort, coapPort, wsUrl, httpUrl: facts.httpUrl },
      username: `${productKey}/${deviceNo}`,
      topicPrefix: `things/${productKey}/${deviceNo}/`,
      secretPlace: SECRET_PLACE,
      ways: connectWays(linkType, facts),
    }
  }

  return {
    async rotateSecret(ctx, id, input) {
      const overlapSeconds = input.overlapSeconds ?? DEFAULT_OVERLAP_SECONDS
      const secret = newDeviceSecret(deps.secrets, id)
      const until = overlapSeconds > 0 ? new Date(ctx.now + overlapSeconds * 1000) : null
      // Without an overlap the session that was opened with the old secret ends at once.
      const row = await changeDevice(deps, ctx, id, { action: 'device.rotate_secret', kick: until === null }, scope =>
        repo.replaceSecret(scope, id, secret, until),
      )
      return { ...toView(row), deviceSecret: secret.shown }
    },

    async session(ctx, id) {
      const session = await gateway.session((await authorise(ctx, id)).num)
      return { session: session ? toSessionView(session) : null }
    },

    kick: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const device = await authoriseDevice(scope, id)
        await recordAudit(scope, ctx, {
          action: 'device.kick',
          objectType: 'device',
          objectId: id,
          objectName: device.name,
        })
        scope.afterCommit(() => gateway.kick(device.num))
        return { ok: true }
      }),

    access: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await existingDevice(scope, id)
        const until = row.previousSecretUntil
        return {
          ...connect(row.productKey, row.deviceNo, await repo.connectFactsOf(scope, row.productId)),
          previousSecretUntil: until && until.getTime() > ctx.now ? until.toISOString() : null,
        }
      }),

    async productAccess(ctx, id) {
      const { productKey } = await deps.products.get(ctx, id)
      const facts = await database.withTenant(ctx, scope => repo.connectFactsOf(scope, id))
      return connect(productKey, NUMBER_PLACE, facts)
    },

    shadow: async (ctx, id) => deps.readShadow(await authorise(ctx, id)),
  }
}
