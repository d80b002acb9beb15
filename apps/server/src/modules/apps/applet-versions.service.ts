import { Readable } from 'node:stream'
import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { AppletVersionView, wechatAppletsContract } from '@thingwright/contracts/wechat-applets.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './applets.repo.ts'
import type { AppletsService } from './applets.service.ts'
import * as webApps from './web-apps.repo.ts'

type Contract = typeof wechatAppletsContract
type Versions = { items: AppletVersionView[] }

export interface AppletVersions {
  templates(ctx: Ctx, id: string): Promise<ResponseOf<Contract['templates']>>
  list(ctx: Ctx, id: string): Promise<Versions>
  upload(ctx: Ctx, id: string, input: BodyOf<Contract['upload']>): Promise<AppletVersionView>
  trialQr(ctx: Ctx, id: string): Promise<StreamReply>
  /** @throws AppError wechat_applet.version_state, wechat.failed with the reason of WeChat */
  submit(ctx: Ctx, id: string, versionId: string, note?: string): Promise<AppletVersionView>
  undo(ctx: Ctx, id: string, versionId: string): Promise<AppletVersionView>
  release(ctx: Ctx, id: string, versionId: string): Promise<AppletVersionView>
  rollback(ctx: Ctx, id: string): Promise<Versions>
  /** Asks how the audit that is under way stands. */
  learn(ctx: Ctx, id: string): Promise<void>
  /** WeChat tells how an audit ended. */
  heard(appId: string, state: 'passed' | 'refused' | 'delayed', reason: string): Promise<void>
  testers(ctx: Ctx, id: string): Promise<ResponseOf<Contract['testers']>>
  addTester(ctx: Ctx, id: string, wechatId: string): Promise<ResponseOf<Contract['addTester']>>
  removeTester(ctx: Ctx, id: string, testerId: string): Promise<{ ok: boolean }>
}

/** Results of an audit by WeChat's numbers; 2: in review. */
const STATUS: Readonly<Record<number, repo.VersionRow['state']>> = {
  0: 'passed',
  1: 'refused',
  3: 'withdrawn',
  4: 'delayed',
}

export function createAppletVersions(deps: {
  database: Database
  applets: AppletsService
  addresses(): { httpUrl: string }
  now(): number
}): AppletVersions {
  const { database, applets } = deps
  const at = () => new Date(deps.now())

  async function known(scope: TenantScope, id: string, versionId: string): Promise<repo.VersionRow> {
    const row = await repo.findVersion(scope, id, versionId)
    if (!row) throw new AppError('wechat_applet.version_unknown')
    return row
  }

  async function inState(ctx: Ctx, id: string, versionId: string, ...states: repo.VersionRow['state'][]) {
    const row = await database.withTenant(ctx, scope => known(scope, id, versionId))
    if (!states.includes(row.state)) throw new AppError('wechat_applet.version_state', { params: { state: row.state } })
    return row
  }

  /** Stores what was done and says so in the operation log. */
  async function done(
    ctx: Ctx,
    applet: repo.AppletRow,
    action: `wechat_applet.${string}`,
    after: Record<string, unknown>,
    change: (scope: TenantScope) => Promise<void>,
  ): Promise<void> {
    await database.withTenant(ctx, async scope => {
      await change(scope)
      await recordAudit(scope, ctx, {
        action,
        objectType: 'wechat_applet',
        objectId: applet.id,
        objectName: applet.info?.name ?? applet.appId ?? '',
        after,
      })
    })
  }

  const viewOf = (ctx: Ctx, id: string, versionId: string) =>
    database.withTenant(ctx, async scope => toVersionView(await known(scope, id, versionId)))

  const listed = (ctx: Ctx, id: string): Promise<Versions> =>
    database.withTenant(ctx, async scope => {
      if (!(await repo.find(scope, id))) throw new AppError('wechat_applet.not_found')
      return { items: (await repo.versions(scope, id)).map(toVersionView) }
    })

  async function learn(ctx: Ctx, id: string): Promise<void> {
    const open = await database.withTenant(ctx, scope => repo.inAudit(scope, id))
    if (!open?.auditId) return
    const applet = await applets.usable(ctx, id)
    const answer = await applets.ask(ctx, applet, '/wxa/get_auditstatus', { auditid: Number(open.auditId) })
    const state = STATUS[Number(answer.status)]
    if (!state || state === open.state) return
    const reason = typeof answer.reason === 'string' && answer.reason !== '' ? answer.reason.slice(0, 2_000) : null
    await done(ctx, applet, 'wechat_applet.audited', { version: open.userVersion, state, reason }, scope =>
      repo.decided(scope, open.id, state, reason, at()),
    )
  }

  return {
    learn,
    list: listed,

    async templates(ctx, id) {
      const applet = await applets.usable(ctx, id)
      const answer = await applets.ask(ctx, applet, '/wxa/gettemplatelist')
      const rows = Array.isArray(answer.template_list) ? (answer.template_list as Record<string, unknown>[]) : []
      return {
        items: rows.slice(0, 200).map(row => ({
          id: String(row.template_id ?? ''),
          version: String(row.user_version ?? ''),
          description: String(row.user_desc ?? ''),
        })),
      }
    },

    async upload(ctx, id, { templateId, userVersion, userDesc, ext = {} }) {
      const applet = await applets.usable(ctx, id)
      const portal = await database.withTenant(ctx, async scope => (await webApps.list(scope))[0])
      const settings = {
        extEnable: true,
        extAppid: applet.appId,
        directCommit: false,
        ext: { ...ext, server: deps.addresses().httpUrl, portal: portal?.suffix ?? '' },
        window: { navigationBarTitleText: portal?.name ?? '' },
      }
      await applets.ask(ctx, applet, '/wxa/commit', {
        template_id: Number(templateId),
        // A text that holds JSON, not an object.
        ext_json: JSON.stringify(settings),
        user_version: userVersion,
        user_desc: userDesc,
      })
      const versionId = newId(ctx.now)
      const row = { id: versionId, appletId: id, templateId, userVersion, userDesc, ext: settings }
      await done(ctx, applet, 'wechat_applet.upload', { version: userVersion, templateId }, scope =>
        repo.addVersion(scope, { ...row, byName: actorName(ctx.actor) ?? '' }),
      )
      return viewOf(ctx, id, versionId)
    },

    async trialQr(ctx, id) {
      const applet = await applets.usable(ctx, id)
      const { type, bytes } = await applets.picture(ctx, applet, '/wxa/get_qrcode')
      return new StreamReply(Readable.from([bytes]), type)
    },

    async submit(ctx, id, versionId, note) {
      const applet = await applets.usable(ctx, id)
      const row = await inState(ctx, id, versionId, 'uploaded', 'refused', 'withdrawn')
      const answer = await applets.ask(ctx, applet, '/wxa/submit_audit', {
        ...(note ? { version_desc: note } : {}),
        ...(row.reason && note ? { feedback_info: note } : {}),
      })
      await done(ctx, applet, 'wechat_applet.submit', { version: row.userVersion }, scope =>
        repo.submitted(scope, versionId, String(answer.auditid ?? ''), at()),
      )
      return viewOf(ctx, id, versionId)
    },

    async undo(ctx, id, versionId) {
      const applet = await applets.usable(ctx, id)
      const row = await inState(ctx, id, versionId, 'auditing', 'delayed')
      await applets.ask(ctx, applet, '/wxa/undocodeaudit')
      await done(ctx, applet, 'wechat_applet.undo', { version: row.userVersion }, scope =>
        repo.decided(scope, versionId, 'withdrawn', null, at()),
      )
      return viewOf(ctx, id, versionId)
    },

    async release(ctx, id, versionId) {
      const applet = await applets.usable(ctx, id)
      const row = await inState(ctx, id, versionId, 'passed')
      await applets.ask(ctx, applet, '/wxa/release', {})
      await done(ctx, applet, 'wechat_applet.release', { version: row.userVersion }, scope =>
        repo.released(scope, id, versionId, at()),
      )
      return viewOf(ctx, id, versionId)
    },

    async rollback(ctx, id) {
      const applet = await applets.usable(ctx, id)
      await applets.ask(ctx, applet, '/wxa/revertcoderelease')
      await done(ctx, applet, 'wechat_applet.revert', {}, scope => repo.rolledBack(scope, id, at()))
      return listed(ctx, id)
    },

    async heard(appId, state, reason) {
      const applet = await database.withSystemScope('apps', scope => repo.ofApp(scope, appId))
      if (!applet) return
      const ctx = systemContext(applet.tenantId, 'wechat', deps.now())
      const open = await database.withTenant(ctx, scope => repo.inAudit(scope, applet.id))
      if (!open) return
      const said = reason === '' ? null : reason.slice(0, 2_000)
      await done(ctx, applet, 'wechat_applet.audited', { version: open.userVersion, state, reason: said }, scope =>
        repo.decided(scope, open.id, state, said, at()),
      )
    },

    testers: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        if (!(await repo.find(scope, id))) throw new AppError('wechat_applet.not_found')
        return {
          items: (await repo.testers(scope, id)).map(({ id, wechatId, createdAt }) => ({
            id,
            wechatId,
            createdAt: createdAt.toISOString(),
          })),
        }
      }),

    async addTester(ctx, id, wechatId) {
      const applet = await applets.usable(ctx, id)
      const answer = await applets.ask(ctx, applet, '/wxa/bind_tester', { wechatid: wechatId })
      const tester = { id: newId(ctx.now), appletId: id, wechatId, userStr: String(answer.userstr ?? '') }
      await done(ctx, applet, 'wechat_applet.tester', { added: wechatId }, scope => repo.addTester(scope, tester))
      return { id: tester.id, wechatId, createdAt: at().toISOString() }
    },

    async removeTester(ctx, id, testerId) {
      const applet = await applets.usable(ctx, id)
      const found = (await database.withTenant(ctx, scope => repo.testers(scope, id))).find(row => row.id === testerId)
      if (!found) throw new AppError('wechat_applet.tester_unknown')
      await applets.ask(ctx, applet, '/wxa/unbind_tester', { userstr: found.userStr })
      await done(ctx, applet, 'wechat_applet.tester', { removed: found.wechatId }, scope =>
        repo.removeTester(scope, testerId),
      )
      return { ok: true }
    },
  }
}

function toVersionView({ appletId: _, auditId: __, ...row }: repo.VersionRow): AppletVersionView {
  return {
    ...row,
    submittedAt: row.submittedAt?.toISOString() ?? null,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    releasedAt: row.releasedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
