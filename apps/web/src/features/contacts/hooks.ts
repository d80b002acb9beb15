import type { ContactView, NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import type { ContactGroupView, NotificationChannelView } from '@thingwright/contracts/notification-channels.contract'
import type { NotificationTemplateView } from '@thingwright/contracts/notification-templates.contract'
import { call, type Query } from '../../lib/api-client.ts'
import { locale } from '../../lib/i18n.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

/** @param userId contacts of this end user and those below; null: of whoever the filter says */
export const fetchContactsOf =
  (userId: string | null): FetchPage<ContactView> =>
  ({ filters, ...input }, signal) =>
    call('contacts.list', {
      query: { ...input, ...(userId ? { userId } : filters) } as Query<'contacts.list'>,
      signal,
    })

export const fetchRecords: FetchPage<NotificationRecordView> = ({ filters, ...input }, signal) =>
  call('contacts.records', { query: { ...input, ...filters } as Query<'contacts.records'>, signal })

/** The tabs of the page, as its lists show them. */
export interface Tabs {
  items: { key: string; label: string }[]
  active: string
  onChange: (key: string) => void
}

export const fetchChannels: FetchPage<NotificationChannelView> = ({ filters, ...input }, signal) =>
  call('notificationChannels.list', {
    query: { ...input, ...filters } as Query<'notificationChannels.list'>,
    signal,
  })

/** All there are come at once: what is searched and filtered is chosen here. */
export const fetchTemplates: FetchPage<NotificationTemplateView> = async ({ filters, q }, signal) => {
  const { items } = await call('notificationTemplates.list', { signal })
  const found = items.filter(
    one =>
      (!filters?.channel || one.channel === filters.channel) &&
      (!filters?.event || one.event === filters.event) &&
      // In the language of the console unless another is chosen.
      one.locale === (filters?.locale ?? locale()) &&
      (!q || `${one.subject} ${one.body}`.toLowerCase().includes(q.toLowerCase())),
  )
  return { items: found, nextCursor: null, total: found.length }
}

export const fetchGroups: FetchPage<ContactGroupView> = ({ filters: _, ...input }, signal) =>
  call('notificationChannels.groups', { query: input, signal })
