import { cloudPagesContract } from '@thingwright/contracts/cloud-pages.contract'
import { rowsOfPage, type TlinkParts } from './tlink-ask.ts'
import type { TlinkCompatService } from './tlink-compat.service.ts'
import { timeText, userNumber } from './tlink-words.ts'

/** Published cloud pages, in the words of that family. */
export function createTlinkPages({ ask, pageOf, publicUrl }: TlinkParts): Pick<TlinkCompatService, 'getYunzutaiList'> {
  return {
    async getYunzutaiList(ctx, body) {
      const place = pageOf({ pageSize: 100, ...body })
      const rows = await rowsOfPage(place, query =>
        ask(ctx, cloudPagesContract.list, { query: { ...query, state: 'published' } }),
      )
      const dataList = rows.map(row => ({
        id: userNumber(row.id),
        appName: row.name,
        url: `${publicUrl()}/page/${row.suffix}`,
        addDate: timeText(row.createdAt),
        updateDate: timeText(row.updatedAt),
      }))
      return { currPage: place.page, pageSize: place.size, dataList }
    },
  }
}
