import { ownFollowersContract } from '@thingwright/contracts/own-followers.contract'
import { portalsContract, webAppsContract } from '@thingwright/contracts/web-apps.contract'
import { wechatAccountsContract, wechatCallbacksContract } from '@thingwright/contracts/wechat-accounts.contract'
import { wechatFollowersContract } from '@thingwright/contracts/wechat-followers.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind, type HttpInfo } from '../../lib/http.ts'
import { exportFollowers } from './followers-export.ts'
import type { OwnFollowers } from './own-followers.service.ts'
import type { Portals } from './portals.service.ts'
import type { WebAppsService } from './web-apps.service.ts'
import type { WechatAccountsService } from './wechat-accounts.service.ts'
import type { WechatCallbacks } from './wechat-callbacks.service.ts'
import type { WechatFollowersService } from './wechat-followers.service.ts'

const hostOf = ({ headers }: Pick<HttpInfo, 'headers'>) => (typeof headers.host === 'string' ? headers.host : undefined)

export function appsRoutes(deps: {
  webApps: WebAppsService
  portals: Portals
  ownFollowers: OwnFollowers
  wechatAccounts: WechatAccountsService
  wechatCallbacks: WechatCallbacks
  wechatFollowers: WechatFollowersService
  database: Database
}): BoundRoute[] {
  const { webApps, portals, wechatAccounts, wechatCallbacks, wechatFollowers: followers, ownFollowers } = deps
  return [
    bind(webAppsContract.list, ctx => webApps.list(ctx)),
    bind(webAppsContract.create, (ctx, { body }) => webApps.create(ctx, body)),
    bind(webAppsContract.update, (ctx, { params, body }) => webApps.update(ctx, params.id, body)),
    bind(webAppsContract.setImage, (ctx, { params, body }) => webApps.setImage(ctx, params, body.data)),
    bind(webAppsContract.setCertificate, (ctx, { params, body }) => webApps.setCertificate(ctx, params.id, body)),
    bind(webAppsContract.removeCertificate, (ctx, { params }) => webApps.removeCertificate(ctx, params.id)),
    bind(webAppsContract.checkHost, (ctx, { params }) => webApps.checkHost(ctx, params.id)),
    bind(webAppsContract.remove, (ctx, { params }) => webApps.remove(ctx, params.id)),
    bind(portalsContract.here, (_, __, http) => portals.here(hostOf(http))),
    bind(portalsContract.get, (_, { params }, http) => portals.get(params.suffix, hostOf(http))),
    bind(portalsContract.image, (_, { params }, http) => portals.image(params.suffix, params.kind, http)),
    bind(portalsContract.manifest, (_, { params }, http) => portals.manifest(params.suffix, hostOf(http))),
    bind(wechatAccountsContract.list, ctx => wechatAccounts.list(ctx)),
    bind(wechatAccountsContract.create, (ctx, { body }) => wechatAccounts.create(ctx, body)),
    bind(wechatAccountsContract.update, (ctx, { params, body }) => wechatAccounts.update(ctx, params.id, body)),
    bind(wechatAccountsContract.test, (ctx, { params, body }) => wechatAccounts.test(ctx, params.id, body.step)),
    bind(wechatAccountsContract.remove, (ctx, { params }) => wechatAccounts.remove(ctx, params.id)),
    bind(wechatFollowersContract.list, (ctx, { params, query }) => followers.list(ctx, params.id, query)),
    bind(wechatFollowersContract.export, (ctx, { params, query }) => exportFollowers(deps, ctx, params.id, query)),
    bind(wechatFollowersContract.scene, (ctx, { params, body }) => followers.scene(ctx, params.id, body.contactId)),
    bind(wechatFollowersContract.bind, (ctx, { params, body }) =>
      followers.bind(ctx, params.id, params.followerId, body.contactId),
    ),
    bind(wechatFollowersContract.unbind, (ctx, { params }) => followers.unbind(ctx, params.id, params.followerId)),
    bind(ownFollowersContract.list, ctx => ownFollowers.list(ctx)),
    bind(ownFollowersContract.bind, (ctx, { params, body }) => ownFollowers.bind(ctx, params.id, body.contactId)),
    bind(ownFollowersContract.unbind, (ctx, { params }) => ownFollowers.unbind(ctx, params.id)),
    bind(wechatFollowersContract.menu, (ctx, { params }) => followers.menu(ctx, params.id)),
    bind(wechatFollowersContract.setMenu, (ctx, { params, body }) => followers.setMenu(ctx, params.id, body)),
    bind(wechatFollowersContract.replies, (ctx, { params }) => followers.replies(ctx, params.id)),
    bind(wechatFollowersContract.setReplies, (ctx, { params, body }) => followers.setReplies(ctx, params.id, body)),
    bind(wechatFollowersContract.templates, (ctx, { params }) => followers.templates(ctx, params.id)),
    bind(wechatCallbacksContract.check, (_, { params, query }) => wechatCallbacks.check(params.id, query)),
    bind(wechatCallbacksContract.take, (_, { params, query, body }) => wechatCallbacks.take(params.id, query, body)),
  ]
}
