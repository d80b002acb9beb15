import type { WechatReplies } from '@thingwright/contracts/wechat-followers.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { DemoNetworks } from '../../lib/demo-networks.ts'
import type { ContactsService } from '../contacts/index.ts'
import type { AppletSignIn } from './applet-sign-in.service.ts'
import type { AppletsService } from './applets.service.ts'
import texts from './apps.demo.json' with { type: 'json' }
import type { PlatformOf } from './platform-client.ts'
import type { WebAppsService } from './web-apps.service.ts'
import type { WechatHttp } from './wechat.port.ts'
import * as accounts from './wechat-accounts.repo.ts'
import type { WechatAccountsService } from './wechat-accounts.service.ts'
import type { WechatFollowersService } from './wechat-followers.service.ts'
import type { WechatSimulatorService } from './wechat-simulator.service.ts'

export interface AppsDemoDeps {
  database: Database
  http: WechatHttp
  platforms: PlatformOf
  webApps: WebAppsService
  wechatAccounts: WechatAccountsService
  wechatFollowers: WechatFollowersService
  contacts: Pick<ContactsService, 'create' | 'list'>
}

/**
 * Connects the demo company to the simulated WeChat: once with a portal, an official account and people who follow it,
 * then where that listens now. Whatever was removed since is not made again.
 */
export async function connectAppsDemo(deps: AppsDemoDeps, ctx: Ctx, demo: DemoNetworks): Promise<void> {
  const { database, platforms, wechatAccounts } = deps
  const { url, official, platform } = demo.wechat
  platforms.simulate(ctx.tenantId, platform)
  if (demo.isFirstOf.wechat) await seedPortal(deps.webApps, ctx)
  const simulated = async () => (await wechatAccounts.list(ctx)).items.find(account => account.simulated)
  if (demo.isFirstOf.wechat && (await wechatAccounts.list(ctx)).items.length === 0) {
    const { appId, appSecret, token, aesKey } = official
    const input = { name: texts.account, appId, appSecret, token, aesKey, mode: 'encrypted' as const, baseUrl: url }
    await wechatAccounts.create(ctx, input, true)
  }
  const account = await simulated()
  if (account) {
    await database.withSystemScope('apps', scope => accounts.moveSimulated(scope, ctx.tenantId, url))
    // The owner submits his server configuration: WeChat forgets it when it is started anew.
    await deps.http.ask(url, true, '/simulator/server', {
      appid: official.appId,
      url: demo.here(`/callbacks/wechat/${account.id}`),
      token: official.token,
      aesKey: official.aesKey,
      mode: 'encrypted',
    })
  }
  demo.startTickets()
  // Also where an earlier start did not get as far.
  if (account && demo.isFirstOf.wechat) await furnish(deps, ctx, demo, account.id)
}

async function seedPortal(webApps: WebAppsService, ctx: Ctx): Promise<void> {
  if ((await webApps.list(ctx)).items.length > 0) return
  const { suffix, name, logo, ...brand } = texts.portal
  const { id } = await webApps.create(ctx, { name, suffix })
  const data = `data:image/svg+xml;base64,${Buffer.from(logo).toString('base64')}`
  const { version } = await webApps.setImage(ctx, { id, kind: 'logo' }, data)
  await webApps.update(ctx, id, { ...brand, enabled: true, version })
}

/** People write to the account, and one of them scans the code of a contact. */
async function furnish(
  { http, wechatAccounts, wechatFollowers: followers, contacts }: AppsDemoDeps,
  ctx: Ctx,
  { wechat }: DemoNetworks,
  id: string,
): Promise<void> {
  const appid = wechat.official.appId
  await followers.setMenu(ctx, id, texts.menu as Parameters<WechatFollowersService['setMenu']>[2])
  await followers.setReplies(ctx, id, { items: texts.replies as WechatReplies['items'] })
  for (const { openid, nickname, text } of wechat.people)
    await http.ask(wechat.url, true, '/simulator/write', { appid, openid, nickname, text })
  const { name, email } = texts.contact
  const known = (await contacts.list(ctx, { q: name, limit: 10 })).items.find(item => item.name === name)
  const contact = known ?? (await contacts.create(ctx, { name, email }))
  const [first] = wechat.people
  if (first) {
    const { ticket } = await followers.scene(ctx, id, contact.id)
    const { openid, nickname } = first
    await http.ask(wechat.url, true, '/simulator/scan', { appid, ticket, openid, nickname })
  }
  for (const step of ['credentials', 'template', 'menu'] as const) await wechatAccounts.test(ctx, id, step)
}

/**
 * The owner of the simulated mini-program agrees, and a customer binds a WeChat user there and allows messages: alarms of
 * the customer's devices arrive until the permissions are used up. The platform has a ticket by now.
 */
export async function letCustomerRead(
  {
    http,
    webApps,
    applets,
    simulator,
    signIn,
  }: {
    http: WechatHttp
    webApps: Pick<WebAppsService, 'list'>
    applets: Pick<AppletsService, 'list' | 'authorize'>
    simulator: Pick<WechatSimulatorService, 'authorize'>
    signIn: Pick<AppletSignIn, 'prove' | 'bind' | 'accept'>
  },
  ctx: Ctx,
  demo: DemoNetworks,
): Promise<void> {
  const customer = await demo.customer()
  const portal = (await webApps.list(ctx)).items.find(({ enabled }) => enabled)
  if (!customer || !portal || (await applets.list(ctx)).items.length > 0) return
  const { url } = await applets.authorize(ctx)
  await simulator.authorize(ctx, url)
  const { url: base, applet: appid, reader } = demo.wechat
  const { openid, templateId, allows } = reader
  const { code } = await http.ask(base, true, '/simulator/login', { appid, openid })
  const own: Ctx = {
    ...ctx,
    actor: {
      kind: 'end_user',
      loginId: customer.id,
      username: customer.username,
      displayName: customer.name,
      permissions: new Set(),
      dataScope: { kind: 'limited', groupIds: [], productIds: [], own: false, userId: customer.id },
      rights: customer.rights,
      deviceLimit: null,
    },
  }
  await signIn.bind(own, await signIn.prove(portal.suffix, String(code)))
  for (let i = 0; i < allows; i++) {
    await http.ask(base, true, '/simulator/subscribe', { appid, openid, template: templateId, answer: 'accept' })
    await signIn.accept(own, [templateId])
  }
}
