import { inBackground } from '../../lib/background.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import { createOutbound } from '../../lib/outbound/outbound.ts'
import {
  type ChannelsService,
  createAppletPermissions,
  createChannels,
  createContactsService,
  type Simulators,
} from '../contacts/index.ts'
import { createAppletMessageTemplates } from './applet-message-templates.ts'
import { createAppletPackages } from './applet-package.ts'
import { type AdmitApplet, createAppletSignIn } from './applet-sign-in.service.ts'
import { createAppletVersions } from './applet-versions.service.ts'
import * as appletsRepo from './applets.repo.ts'
import { appletsRoutes } from './applets.routes.ts'
import { createApplets } from './applets.service.ts'
import { connectAppsDemo, letCustomerRead } from './apps.demo.ts'
import { appsRoutes } from './apps.routes.ts'
import { createHostCheck } from './host-check.ts'
import { createOwnFollowers } from './own-followers.service.ts'
import { createPlatformCallbacks } from './platform-callbacks.service.ts'
import type { PlatformClient } from './platform-client.ts'
import { createPortals, hostIn, type Portals } from './portals.service.ts'
import * as repo from './web-apps.repo.ts'
import { createWebAppsService, type WebAppsService } from './web-apps.service.ts'
import { webAppsTransfer } from './web-apps.transfer.ts'
import type { WechatHttp } from './wechat.port.ts'
import * as accountsRepo from './wechat-accounts.repo.ts'
import { createWechatAccounts, type WechatAccountsService } from './wechat-accounts.service.ts'
import { wechatAccountsTransfer } from './wechat-accounts.transfer.ts'
import { createWechatCallbacks, type WechatCallbacks } from './wechat-callbacks.service.ts'
import { createMessageChannel } from './wechat-channel.ts'
import { createWechatClient } from './wechat-client.ts'
import { createWechatEvents } from './wechat-events.ts'
import * as followers from './wechat-followers.repo.ts'
import { createWechatFollowers } from './wechat-followers.service.ts'
import { forgetFlows } from './wechat-sign-in.repo.ts'
import { wechatSignInRoutes } from './wechat-sign-in.routes.ts'
import { type AdmitCustomer, createWechatSignIn } from './wechat-sign-in.service.ts'
import { wechatSimulatorRoutes } from './wechat-simulator.routes.ts'
import { createWechatSimulator } from './wechat-simulator.service.ts'

export interface AppsNeeds {
  database: Database
  wechat: WechatHttp
  /** Speaks for mini-programs. */
  appletClient: PlatformClient
  simulators: Simulators
  outboundAllow: readonly string[]
  /** PUBLIC_URL as it was set. */
  publicUrl: string | null
  addresses(): { httpUrl: string }
  /** Lets an end user in who proved himself by WeChat, and gives the session to his browser. */
  admitCustomer: AdmitCustomer
  /** The same for the mini-program, which keeps the tokens of the session. */
  admitApplet: AdmitApplet
  secureCookie: boolean
  seal(purpose: string): CryptoBox
  logger: Logger
  now(): number
}

export interface AppsModule extends ModuleParts {
  webApps: WebAppsService
  portals: Portals
  wechatAccounts: WechatAccountsService
  wechatCallbacks: WechatCallbacks
  /** Channels of messages, as contacts keeps them. */
  channels: ChannelsService
}

const DAY_MS = 86_400_000

export function createAppsModule(needs: AppsNeeds): AppsModule {
  const { database, now } = needs
  const ownHosts = () => (needs.publicUrl === null ? [] : [new URL(needs.publicUrl).hostname])
  const urlOf = (host: string, encrypted: boolean) => {
    const own = new URL(needs.addresses().httpUrl)
    // Behind a proxy portals are where the console is; otherwise at the port of this server.
    const port = own.port && own.protocol === 'http:' && !encrypted ? `:${own.port}` : ''
    return `${encrypted || own.protocol === 'https:' ? 'https' : 'http'}://${host}${port}`
  }
  const keys = needs.seal('web-app-keys')
  const webAppsOf = (inside: Database) =>
    createWebAppsService({
      database: inside,
      keys,
      ownHosts: () => [...ownHosts(), hostIn(new URL(needs.addresses().httpUrl).host) ?? ''],
      urlOf,
      checkHost: createHostCheck(createOutbound({ allow: needs.outboundAllow, timeoutMs: 5_000 })),
      now,
    })
  const webApps = webAppsOf(database)
  const portals = createPortals({ database, ownHosts })
  const client = createWechatClient({ http: needs.wechat, box: needs.seal('wechat-accounts'), now })
  const channels = createChannels(needs)
  const wechatAccounts = createWechatAccounts({ ...needs, client, channel: createMessageChannel(channels) })
  const contacts = createContactsService({ database })
  const followersOf = (inside: Database) => createWechatFollowers({ database: inside, client, contacts, now })
  const wechatFollowers = followersOf(database)
  const ownFollowers = createOwnFollowers({ database, contacts, now })
  const onMessage = createWechatEvents({ ...needs, client, contacts })
  const signIn = createWechatSignIn({ ...needs, http: needs.wechat, client })
  const platform = needs.appletClient
  const { platforms } = platform
  const applets = createApplets({ ...needs, client: platform })
  const versions = createAppletVersions({ ...needs, applets })
  const packages = createAppletPackages(needs)
  const appletSignIn = createAppletSignIn({
    ...needs,
    client: platform,
    box: needs.seal('wechat-applet-tickets'),
    permissions: createAppletPermissions(),
  })
  const messageTemplates = createAppletMessageTemplates({ database, applets })
  /** Waits for the first ticket of the demo's WeChat. */
  let afterTicket: (() => Promise<void>) | null = null
  const onTicket = () => {
    const work = afterTicket
    afterTicket = null
    if (work) inBackground('the mini-program of the demo', work())
  }
  const platformCallbacks = createPlatformCallbacks({ client: platform, applets, versions, onTicket, now })
  let simulatedApplet: string | null = null
  const simulator = createWechatSimulator({
    database,
    http: needs.wechat,
    platforms,
    applets,
    appletId: () => simulatedApplet,
  })
  const wechatCallbacks = createWechatCallbacks({ database, client, now, onMessage })
  return {
    webApps,
    portals,
    wechatAccounts,
    wechatCallbacks,
    channels,
    transferSources: [webAppsTransfer(database, webAppsOf), wechatAccountsTransfer(database, followersOf)],
    connectionNames: [
      {
        system: 'wechat',
        list: async scope =>
          (await accountsRepo.list(scope))
            .filter(({ simulated }) => !simulated)
            .map(({ name, appId: address }) => ({ name, address })),
      },
      {
        system: 'mini-program',
        list: async scope =>
          (await appletsRepo.list(scope)).flatMap(applet =>
            applet.appId === null || platform.isSimulated(applet)
              ? []
              : [{ name: applet.info?.name || applet.appId, address: applet.appId }],
          ),
      },
    ],
    sweeps: [
      {
        name: 'QR codes of official accounts',
        run: at => database.withSystemScope('apps', scope => followers.forgetScenes(scope, new Date(at - DAY_MS))),
      },
      {
        name: 'sign-ins with WeChat that nobody ended',
        run: at => database.withSystemScope('apps', scope => forgetFlows(scope, new Date(at))),
      },
    ],
    async connectDemo(ctx, demo) {
      simulatedApplet = demo.wechat.applet
      const own = { database, http: needs.wechat, platforms, webApps, wechatAccounts, wechatFollowers, contacts }
      if (demo.isFirstOf.wechat)
        afterTicket = () =>
          letCustomerRead({ http: needs.wechat, webApps, applets, simulator, signIn: appletSignIn }, ctx, demo)
      await connectAppsDemo(own, ctx, demo)
    },
    portalOf: host => portals.suffixOf(host),
    async certificateOf(host) {
      const row = await database.withSystemScope('apps', scope => repo.certificateOf(scope, host))
      if (!row?.certificate || !row.keyCipher) return null
      const key = keys.open(row.keyCipher, `web-app:${row.id}`).toString('utf8')
      return { id: `${row.id}:${row.version}`, certificate: row.certificate, key }
    },
    routes: [
      ...appsRoutes({ database, webApps, portals, wechatAccounts, wechatCallbacks, wechatFollowers, ownFollowers }),
      ...appletsRoutes({ applets, versions, packages, messageTemplates, signIn: appletSignIn, platformCallbacks }),
      ...wechatSimulatorRoutes(simulator),
      ...wechatSignInRoutes({ signIn, secureCookie: needs.secureCookie, publicUrl: needs.publicUrl }),
    ],
  }
}

export const appsModule = defineModule({ name: 'apps', create: createAppsModule })
