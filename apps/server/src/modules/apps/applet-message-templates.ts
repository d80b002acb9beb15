import type { ResponseOf } from '@thingwright/contracts'
import type { wechatAppletsContract } from '@thingwright/contracts/wechat-applets.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { find } from './applets.repo.ts'
import type { AppletsService } from './applets.service.ts'

/** Templates of subscribe messages that the owner of a mini-program chose at WeChat. */
export interface AppletMessageTemplates {
  /** @throws AppError wechat_applet.not_found, wechat_applet.not_authorized, wechat.failed */
  list(ctx: Ctx, id: string): Promise<ResponseOf<(typeof wechatAppletsContract)['messageTemplates']>>
}

/** WeChat lets an account have fewer. */
const MOST = 100
/** A field in the text of a template, with the words before it: `Time:{{date2.DATA}}`. */
const FIELD = /([^{}\n]*)\{\{\s*([a-z_]+\d+)\.DATA\s*\}\}/g

export function createAppletMessageTemplates(deps: {
  database: Database
  applets: Pick<AppletsService, 'ask'>
}): AppletMessageTemplates {
  return {
    async list(ctx, id) {
      const applet = await deps.database.withTenant(ctx, scope => find(scope, id))
      if (!applet) throw new AppError('wechat_applet.not_found')
      if (applet.state !== 'authorized') throw new AppError('wechat_applet.not_authorized')
      const { data } = await deps.applets.ask(ctx, applet, '/wxaapi/newtmpl/gettemplate')
      const rows = Array.isArray(data) ? (data as Record<string, unknown>[]) : []
      return {
        items: rows.slice(0, MOST).map(row => ({
          id: String(row.priTmplId ?? ''),
          title: String(row.title ?? ''),
          fields: fieldsIn(String(row.content ?? '')),
        })),
      }
    },
  }
}

/** Fields of a template's text in their order. */
export function fieldsIn(content: string): { key: string; name: string }[] {
  return [...content.matchAll(FIELD)].map(([, before = '', key = '']) => ({
    key,
    name: before.trim().replace(/[:\uff1a]$/, ''),
  }))
}
