import { type ContactView, contactsContract } from '@thingwright/contracts/contacts.contract'
import { PERSONAL_CHANNELS, type PersonalChannel } from '@thingwright/contracts/contacts.words'
import type { TlinkBody } from '@thingwright/contracts/tlink.contract'
import type { Ctx } from '../../lib/context.ts'
import { readFlag, rowsOfPage, type TlinkParts } from './tlink-ask.ts'
import { contactByNumber } from './tlink-compat.repo.ts'
import type { TlinkCompatService } from './tlink-compat.service.ts'
import { Refused } from './tlink-refused.ts'
import { readNumber, type TlinkReply, timeText, userNumber } from './tlink-words.ts'

type Contacts = Pick<
  TlinkCompatService,
  | 'addContacts'
  | 'saveContact'
  | 'updateContacts'
  | 'deleteContacts'
  | 'deleteContact'
  | 'getContacts'
  | 'getAllContacts'
  | 'getContactById'
  | 'getWechatContacts'
  | 'reBindWeChat'
>

/** Contacts for alarms, in the words of that family. */
export function createTlinkContacts({ database, ask, pageOf }: TlinkParts): Contacts {
  async function contactOf(ctx: Ctx, body: TlinkBody): Promise<ContactView> {
    const number = readNumber(body.id)
    const id = number === null ? null : await database.withTenant(ctx, scope => contactByNumber(scope, number))
    if (!id) throw new Refused('id')
    return ask(ctx, contactsContract.get, { params: { id } })
  }

  const add: Contacts['addContacts'] = async (ctx, body) => {
    if (!body.name) throw new Refused('name')
    const made = await ask(ctx, contactsContract.create, {
      body: { name: body.name.slice(0, 64), ...addressesOf(body), ways: waysOf(body, null) },
    })
    return { id: userNumber(made.id) }
  }
  const update: Contacts['updateContacts'] = async (ctx, body) => {
    const before = await contactOf(ctx, body)
    const after = await ask(ctx, contactsContract.update, {
      params: { id: before.id },
      body: {
        version: before.version,
        ...(body.name ? { name: body.name.slice(0, 64) } : {}),
        ...addressesOf(body),
        ways: waysOf(body, before.ways),
      },
    })
    return { id: userNumber(after.id) }
  }
  const remove: Contacts['deleteContacts'] = async (ctx, body) => {
    await ask(ctx, contactsContract.remove, { params: { id: (await contactOf(ctx, body)).id } })
    return {}
  }
  const list: Contacts['getContacts'] = async (ctx, body) => {
    const place = pageOf(body)
    const rows = await rowsOfPage(place, query => ask(ctx, contactsContract.list, { query }))
    return { currPage: place.page, pageSize: place.size, dataList: rows.map(factsOf) }
  }
  return {
    addContacts: add,
    saveContact: (ctx, body) => (readNumber(body.id) === null ? add : update)(ctx, body),
    updateContacts: update,
    deleteContacts: remove,
    deleteContact: remove,
    getContacts: list,
    getAllContacts: list,
    getContactById: async (ctx, body) => ({ contact: factsOf(await contactOf(ctx, body)) }),
    async getWechatContacts(ctx, body) {
      const reply = await list(ctx, { ...body, pageSize: 100 })
      return { dataList: (reply.dataList as TlinkReply[]).filter(row => row.wechatBind === 1) }
    },
    async reBindWeChat(ctx, body) {
      const { id, version } = await contactOf(ctx, body)
      await ask(ctx, contactsContract.update, { params: { id }, body: { version, wechatOpenid: null } })
      return {}
    },
  }
}

const addressesOf = ({ mobile, email }: TlinkBody) => ({
  ...(mobile === undefined ? {} : { phone: mobile || null }),
  ...(email === undefined ? {} : { email: email || null }),
})

/** What is not said stays; null: all ways. */
function waysOf(body: TlinkBody, before: readonly PersonalChannel[] | null): PersonalChannel[] | null {
  const said: Partial<Record<PersonalChannel, boolean | undefined>> = {
    email: readFlag('emailFlag', body.emailFlag),
    sms: readFlag('smsFlag', body.smsFlag),
    wechat: readFlag('wechatFlag', body.wechatFlag),
  }
  const ways = PERSONAL_CHANNELS.filter(way => said[way] ?? before?.includes(way) ?? true)
  return ways.length === PERSONAL_CHANNELS.length ? null : ways
}

function factsOf(contact: ContactView): TlinkReply {
  const takes = (way: PersonalChannel) => (contact.ways === null || contact.ways.includes(way) ? 1 : 0)
  return {
    id: userNumber(contact.id),
    name: contact.name,
    mobile: contact.phone ?? '',
    email: contact.email ?? '',
    smsFlag: takes('sms'),
    emailFlag: takes('email'),
    wechatFlag: takes('wechat'),
    wechatBind: contact.wechatOpenid === null ? 0 : 1,
    mobileVerified: contact.phoneVerifiedAt === null ? 0 : 1,
    emailVerified: contact.verifiedAt === null ? 0 : 1,
    addDate: timeText(contact.createdAt),
  }
}
