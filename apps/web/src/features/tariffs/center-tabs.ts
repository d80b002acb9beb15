import type { CenterTab } from '../../lib/center-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

export const centerTabs: readonly CenterTab[] = [
  {
    key: 'metering',
    of: 'meterAccounts.get',
    load: async () => {
      const [tab] = await Promise.all([import('./account-tab.tsx'), loadTexts('tariffs')])
      return { Component: tab.AccountTab }
    },
  },
  {
    key: 'ownMetering',
    of: 'ownMeters.account',
    ownOnly: true,
    load: async () => {
      const [tab] = await Promise.all([import('./own-tab.tsx'), loadTexts('tariffs')])
      return { Component: tab.OwnTab }
    },
  },
]
