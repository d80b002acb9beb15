import type { AppletInfo } from '@thingwright/contracts/wechat-applets.contract'

type Row = Record<string, unknown>

const rowOf = (value: unknown): Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : {}
const textOf = (value: unknown) => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '')
const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(textOf).filter(Boolean).slice(0, 200) : [])

/** What WeChat tells of a mini-program (api_get_authorizer_info, or `basic`: getaccountbasicinfo). */
export function infoIn(answer: Row): AppletInfo {
  const info = rowOf(answer.authorizer_info ?? answer.basic)
  const mini = rowOf(info.MiniProgramInfo)
  const network = rowOf(mini.network)
  const categories = Array.isArray(mini.categories) ? mini.categories.map(rowOf) : []
  return {
    name: textOf(info.nick_name ?? info.nickname),
    avatar: textOf(info.head_img ?? info.head_image_url),
    principal: textOf(info.principal_name),
    userName: textOf(info.user_name),
    // -1: not verified.
    verified: info.verify_type_info !== undefined && Number(rowOf(info.verify_type_info).id) >= 0,
    // 1: normal.
    status: Number(info.account_status ?? 1) === 1 ? '' : textOf(info.account_status),
    categories: categories.map(each => [textOf(each.first), textOf(each.second)].filter(Boolean).join(' / ')),
    requestDomains: textsOf(network.RequestDomain),
    socketDomains: textsOf(network.WsRequestDomain),
    uploadDomains: textsOf(network.UploadDomain),
    downloadDomains: textsOf(network.DownloadDomain),
    privacy: rowOf(mini.privacy_info ?? info.privacy_info).has_privacy === true || mini.privacy_set === 1,
  }
}
