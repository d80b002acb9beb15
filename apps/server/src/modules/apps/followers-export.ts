import type { QueryOf } from '@thingwright/contracts'
import type { FollowerView, wechatFollowersContract } from '@thingwright/contracts/wechat-followers.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import words from './app-words.json' with { type: 'json' }
import type { WechatFollowersService } from './wechat-followers.service.ts'

/** Followers of the official account as a file. */
export function exportFollowers(
  deps: { database: Database; wechatFollowers: WechatFollowersService },
  ctx: Ctx,
  id: string,
  { format, ...filters }: QueryOf<(typeof wechatFollowersContract)['export']>,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  return listExport<FollowerView>(deps.database, ctx, {
    action: 'wechat_follower.export',
    objectType: 'wechat_follower',
    format,
    filters,
    fileName: `${text.file}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'openid', title: 'OpenID', value: row => row.openid },
      { key: 'nickname', title: text.nickname, value: row => row.nickname },
      { key: 'subscribed', title: text.subscribed, value: row => (row.subscribed ? text.yes : text.no) },
      { key: 'subscribedAt', title: text.subscribedAt, type: 'time', value: row => row.subscribedAt },
      { key: 'contact', title: text.contact, value: row => row.contact?.name ?? '' },
      { key: 'boundAt', title: text.boundAt, type: 'time', value: row => row.boundAt },
      { key: 'lastAt', title: text.lastAt, type: 'time', value: row => row.lastAt },
    ],
    rows: everyRow(cursor =>
      deps.wechatFollowers.list(ctx, id, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }),
    ),
  })
}
