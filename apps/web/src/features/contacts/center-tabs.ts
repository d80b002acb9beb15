import type { CenterTab } from '../../lib/center-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

export const centerTabs: readonly CenterTab[] = [
  {
    key: 'contacts',
    of: 'contacts.list',
    load: async () => {
      const [list] = await Promise.all([import('./contact-list.tsx'), loadTexts('contacts')])
      return { Component: list.ContactList }
    },
  },
  {
    key: 'messages',
    of: 'contacts.records',
    ownOnly: true,
    load: async () => {
      const [list] = await Promise.all([import('./record-list.tsx'), loadTexts('contacts')])
      return { Component: list.RecordList }
    },
  },
]
