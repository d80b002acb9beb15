import type { CenterTab } from '../../lib/center-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

export const centerTabs: readonly CenterTab[] = [
  {
    key: 'keys',
    of: 'apiKeys.list',
    load: async () => {
      const [page] = await Promise.all([import('./keys/keys-page.tsx'), loadTexts('developer', 'rights')])
      return { Component: page.KeysPage }
    },
  },
]
