import { wechatAppletSignInContract as enter } from '@thingwright/contracts/wechat-applet-sign-in.contract'
import {
  wechatPlatformCallbacksContract as from,
  wechatAppletsContract as of,
} from '@thingwright/contracts/wechat-applets.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { AppletMessageTemplates } from './applet-message-templates.ts'
import type { AppletPackages } from './applet-package.ts'
import type { AppletSignIn } from './applet-sign-in.service.ts'
import type { AppletVersions } from './applet-versions.service.ts'
import type { AppletsService } from './applets.service.ts'
import type { PlatformCallbacks } from './platform-callbacks.service.ts'

export function appletsRoutes(deps: {
  applets: AppletsService
  versions: AppletVersions
  packages: AppletPackages
  messageTemplates: AppletMessageTemplates
  signIn: AppletSignIn
  platformCallbacks: PlatformCallbacks
}): BoundRoute[] {
  const { applets, versions, packages, messageTemplates, signIn, platformCallbacks: callbacks } = deps
  return [
    bind(of.list, ctx => applets.list(ctx)),
    bind(of.authorize, ctx => applets.authorize(ctx)),
    bind(of.setOwn, (ctx, { body }) => applets.setOwn(ctx, body)),
    bind(of.refresh, async (ctx, { params }) => {
      const view = await applets.refresh(ctx, params.id)
      if (view.state === 'authorized' && view.mode === 'platform') await versions.learn(ctx, params.id)
      return view
    }),
    bind(of.setDomains, (ctx, { params, body }) => applets.setDomains(ctx, params.id, body.host)),
    bind(of.remove, (ctx, { params }) => applets.remove(ctx, params.id)),
    bind(of.templates, (ctx, { params }) => versions.templates(ctx, params.id)),
    bind(of.messageTemplates, (ctx, { params }) => messageTemplates.list(ctx, params.id)),
    bind(of.versions, (ctx, { params }) => versions.list(ctx, params.id)),
    bind(of.upload, (ctx, { params, body }) => versions.upload(ctx, params.id, body)),
    bind(of.package, (ctx, { params }) => packages.of(ctx, params.id)),
    bind(of.trialQr, (ctx, { params }) => versions.trialQr(ctx, params.id)),
    bind(of.submit, (ctx, { params, body }) => versions.submit(ctx, params.id, params.versionId, body.note)),
    bind(of.undo, (ctx, { params }) => versions.undo(ctx, params.id, params.versionId)),
    bind(of.release, (ctx, { params }) => versions.release(ctx, params.id, params.versionId)),
    bind(of.rollback, (ctx, { params }) => versions.rollback(ctx, params.id)),
    bind(of.testers, (ctx, { params }) => versions.testers(ctx, params.id)),
    bind(of.addTester, (ctx, { params, body }) => versions.addTester(ctx, params.id, body.wechatId)),
    bind(of.removeTester, (ctx, { params }) => versions.removeTester(ctx, params.id, params.testerId)),
    bind(enter.enter, (ctx, { params, body }, http) => signIn.enter(ctx, params.suffix, body, http)),
    bind(enter.own, ctx => signIn.own(ctx)),
    bind(enter.accept, (ctx, { body }) => signIn.accept(ctx, body.accepted)),
    bind(enter.bind, (ctx, { body }) => signIn.bind(ctx, body.ticket)),
    bind(enter.unbind, ctx => signIn.unbind(ctx)),
    bind(from.events, (_, { query, body }) => callbacks.events(query, body)),
    bind(from.messages, (_, { params, query, body }) => callbacks.messages(params.appId, query, body)),
    bind(from.back, (_, { params, query }) => callbacks.back(params.nonce, query.auth_code)),
  ]
}
