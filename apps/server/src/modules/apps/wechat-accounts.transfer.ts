import { WechatMenu, WechatReplies } from '@thingwright/contracts/wechat-followers.contract'
import { Type } from 'typebox'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type TransferSource, transferSource, within } from '../../lib/transfer-source.ts'
import * as accounts from './wechat-accounts.repo.ts'
import * as repo from './wechat-followers.repo.ts'
import type { WechatFollowersService } from './wechat-followers.service.ts'

const Line = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  appId: Type.String({ maxLength: 64 }),
  buttons: WechatMenu.properties.buttons,
  replies: WechatReplies.properties.items,
})

/**
 * Menu and automatic replies of the official account in the file of a company. The account is connected by hand, because
 * its secrets are in no file: what belongs to it is brought in once one is there, whatever its name. The menu waits to be
 * published, so that nothing changes at WeChat before a person has looked at it. Ids of message templates are in the
 * kinds `message_templates` and `trigger_presets`; WeChat knows them for one account, so another one is named.
 */
export function wechatAccountsTransfer(
  database: Database,
  serviceOf: (database: Database) => Pick<WechatFollowersService, 'keepMenu' | 'setReplies'>,
): TransferSource {
  return transferSource({
    kind: 'official_accounts',
    permissions: ['app:write'],
    line: Line,
    async pack(scope) {
      const lines = await Promise.all(
        (await accounts.list(scope)).map(async ({ id, name, appId }) => ({
          name,
          appId,
          buttons: repo.buttonsOf(await repo.menu(scope, id)),
          replies: await repo.replies(scope, id),
        })),
      )
      return lines.filter(({ buttons, replies }) => buttons.length + replies.length > 0)
    },
    async bring(scope, ctx, { name, appId, buttons, replies }, { existing }) {
      const [account] = await accounts.list(scope)
      if (!account) throw new AppError('transfer.reference_missing', { params: { reference: name } })
      const { id } = account
      const held = repo.buttonsOf(await repo.menu(scope, id)).length + (await repo.replies(scope, id)).length
      if (held > 0 && existing === 'keep') return { what: 'kept', id }
      const service = serviceOf(within(database, scope))
      await service.keepMenu(ctx, id, { buttons })
      await service.setReplies(ctx, id, { items: replies })
      const isSame = account.appId === appId
      return {
        what: held > 0 ? 'replaced' : 'created',
        id,
        ...(isSame
          ? {}
          : { note: { code: 'transfer.templates_elsewhere', params: { from: appId, to: account.appId } } }),
      }
    },
  })
}
