import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Ok, Words } from './common.ts'
import { LEVELS } from './levels.words.ts'
import { route } from './route.ts'

export const NoticeLevel = Words(LEVELS)
export type NoticeLevel = Static<typeof NoticeLevel>

/** A text in both languages: the reader may switch. */
const TwoLanguages = Type.Object({ zh: Type.String(), en: Type.String() })

export const NoticeView = Type.Object({
  id: Id,
  kind: Type.String({ description: 'What it is about, `noun.verb`' }),
  level: NoticeLevel,
  title: TwoLanguages,
  text: TwoLanguages,
  link: Nullable(Type.String({ description: 'Address in the console' })),
  createdAt: IsoTime,
  readAt: Nullable(IsoTime),
})
export type NoticeView = Static<typeof NoticeView>

const OWN_MARKS = { none: 'marks of the reader in his own inbox' }

/** The inbox belongs to whoever is signed in; it opens for expired companies too: that is where they read why. */
export const notificationsContract = {
  inbox: route({
    method: 'GET',
    path: '/api/v1/inbox',
    tag: 'Inbox',
    summary: 'The caller’s notices, newest first, 180 days back',
    permission: 'signed-in',
    anyAccountState: true,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor, unread: Type.Optional(Words(['0', '1'])) }),
    response: listOf(NoticeView),
  }),
  unread: route({
    method: 'GET',
    path: '/api/v1/inbox/unread',
    tag: 'Inbox',
    summary: 'How many notices are unread, at most 100, and the gravest level among them',
    permission: 'signed-in',
    anyAccountState: true,
    response: Type.Object({ count: Type.Integer({ minimum: 0, maximum: 100 }), level: Nullable(NoticeLevel) }),
  }),
  read: route({
    method: 'POST',
    path: '/api/v1/inbox/{id}/read',
    tag: 'Inbox',
    summary: 'Marks a notice as read',
    permission: 'signed-in',
    anyAccountState: true,
    audit: OWN_MARKS,
    params: IdParams,
    response: Ok,
  }),
  readAll: route({
    method: 'POST',
    path: '/api/v1/inbox/read-all',
    tag: 'Inbox',
    summary: 'Marks every notice as read',
    permission: 'signed-in',
    anyAccountState: true,
    audit: OWN_MARKS,
    response: Ok,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/inbox/{id}',
    tag: 'Inbox',
    summary: 'Takes a notice out of the caller’s inbox; others keep theirs',
    permission: 'signed-in',
    anyAccountState: true,
    audit: OWN_MARKS,
    params: IdParams,
    response: Ok,
  }),
}
